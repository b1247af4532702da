import { relative } from "node:path";
import type { ProgressEvent } from "../report/progress.ts";
import type { Arguments } from "./arguments.ts";
import { printable } from "./terminal.ts";

/** Leads back to the beginning of an empty line. */
const CLEAR = "\r\u001b[2K";

/**
 * Prints progress on stderr: a JSON object per line with `--json`, nothing with `--quiet`; otherwise one line that changes
 * on a terminal, and a line per step elsewhere.
 */
export function progressPrinter(given: Pick<Arguments, "json" | "quiet">): (event: ProgressEvent) => void {
  if (given.quiet) return () => undefined;
  if (given.json) return (event) => void process.stderr.write(`${JSON.stringify(event)}\n`);
  const live = process.stderr.isTTY === true;
  return ({ path, stage, detail }) => {
    const line = `${printable(relative(process.cwd(), path) || ".")}: ${stage}: ${printable(detail)}`;
    process.stderr.write(live ? `${CLEAR}${line.slice(0, (process.stderr.columns || 80) - 1)}` : `${line}\n`);
  };
}

/** Takes the changing line away before the report is printed. */
export function endProgress(given: Pick<Arguments, "json" | "quiet">): void {
  if (!given.quiet && !given.json && process.stderr.isTTY === true) process.stderr.write(CLEAR);
}
