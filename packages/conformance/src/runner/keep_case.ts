import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Case } from "../corpus/case.ts";

/** A case as it ran. */
interface CaseThatRan {
  tested: Case;
  /** The directory of the case, with the files that are left. */
  directory: string;
  /** The lines in both directions, `> ` before those of the suite and `< ` before those of the adapter. */
  messages: readonly string[];
  /** Recent output of the adapter to stderr. */
  stderr: string;
}

/**
 * Keeps what a person needs to find out why a case failed: `<area>/<name>/` has `files`, `messages.txt` and
 * `stderr.txt`; `cases/` has the case itself, of a generated one the sequence, so that it can be run again alone.
 */
export function keepCase(folder: string, { tested, directory, messages, stderr }: CaseThatRan): void {
  const own = join(folder, ...tested.id.split("/"));
  // That of a longer sequence of the same generated case.
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own, { recursive: true });
  cpSync(directory, join(own, "files"), { recursive: true, verbatimSymlinks: true });
  writeFileSync(join(own, "messages.txt"), messages.map((line) => `${line}\n`).join(""));
  if (stderr !== "") writeFileSync(join(own, "stderr.txt"), stderr);
  const file = join(folder, "cases", `${tested.id}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(tested, null, 2)}\n`);
}
