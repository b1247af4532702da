import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compare } from "./measure.ts";
import { humanReport, kept, machineReport, type Result } from "./report.ts";
import type { Row } from "./row.ts";
import { PATTERN_ROWS } from "./rows/patterns.ts";
import { RECORDING } from "./rows/recording.ts";
import { STATISTICS } from "./rows/statistics.ts";

const ROWS: Row[] = [...RECORDING, ...STATISTICS, ...PATTERN_ROWS];

const USAGE = `usage: pnpm bench [NAME …] [--json]

Compares perdura with a named peer, both sides in alternation in one run, and prints the ratio of their times.
A NAME selects the rows that begin with it: ${ROWS.map(({ name }) => name).join(", ")}

The files go to the system's temporary directory (TMPDIR); a memory file system there would hide what syncing costs.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean" }, help: { type: "boolean", short: "h" } },
});

if (values.help === true) {
  console.log(USAGE);
} else {
  const selected = ROWS.filter(
    ({ name }) => positionals.length === 0 || positionals.some((word) => name.startsWith(word)),
  );
  const unknown = positionals.filter((word) => !ROWS.some(({ name }) => name.startsWith(word)));
  if (unknown.length > 0) {
    console.error(`No row begins with ${unknown.join(", ")}.\n\n${USAGE}`);
    process.exitCode = 2;
  } else {
    const results = selected.map(run);
    if (values.json === true) console.log(JSON.stringify(machineReport(results), null, 2));
    if (results.some((result) => kept(result) === false)) process.exitCode = 1;
  }
}

function run(row: Row): Result {
  const directory = mkdtempSync(join(tmpdir(), "perdura-bench-"));
  try {
    const { ours, peer } = row.sides(directory);
    const result = { row, measurement: compare(ours, peer, row.rounds) };
    if (values.json !== true) console.log(`${humanReport(result)}\n`);
    return result;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
