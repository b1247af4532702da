import type { StateDirectoryReport } from "../report/report.ts";
import { readingOf } from "./reading.ts";
import { isStateFile } from "./state_files.ts";
import { contentOf, type Tree } from "./tree.ts";

/** Puts into a report what a state directory holds. */
export function countStates(report: StateDirectoryReport, tree: Tree): void {
  report.entries = tree.entries.length;
  report.bytes = tree.entries.reduce((sum, { kind, size }) => (kind === "file" ? sum + size : sum), 0);
  for (const entry of tree.entries.filter(isStateFile)) {
    const { status, reason } = readingOf(tree, entry, contentOf(tree.root, entry) as Buffer);
    if (status === "ok") report.states_ok += 1;
    if (reason !== null)
      report[status === "ok" ? "states_odd" : "states_broken"].push({ file: entry.name.toString("utf8"), reason });
  }
}
