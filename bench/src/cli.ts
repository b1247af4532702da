import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compare } from "./measure.ts";
import { humanReport, kept, machineReport, type Result } from "./report.ts";
import type { Row } from "./row.ts";
import { ARCHIVE_STATES } from "./rows/archive_states.ts";
import { MIGRATION_ROWS } from "./rows/migration.ts";
import { PATTERN_ROWS } from "./rows/patterns.ts";
import { RECORDING } from "./rows/recording.ts";
import { STATISTICS } from "./rows/statistics.ts";

const ROWS: Row[] = [...RECORDING, ...STATISTICS, ...PATTERN_ROWS, ...MIGRATION_ROWS, ARCHIVE_STATES];

const USAGE = `usage: pnpm bench [NAME …] [--rows N] [--json]

Compares perdura with a named peer, both sides in alternation in one run, and prints the ratio of their times.
A NAME selects the rows that begin with it: ${ROWS.map(({ name }) => name).join(", ")}
--rows N (also 300k, 10m) is the size of the data of those rows that begin with migrate-, archive-, save- or load-; without it they are small.

The files go to the system's temporary directory (TMPDIR); a memory file system there would hide what syncing costs.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean" }, rows: { type: "string" }, help: { type: "boolean", short: "h" } },
});

const wantedRows = values.rows === undefined ? null : numberIn(values.rows);

if (values.help === true) console.log(USAGE);
else if (Number.isNaN(wantedRows)) refuse(`--rows: expected a number such as 300k or 10m, got ${values.rows}.`);
else await runSelected();

async function runSelected(): Promise<void> {
  const unknown = positionals.filter((word) => !ROWS.some(({ name }) => name.startsWith(word)));
  if (unknown.length > 0) return refuse(`No row begins with ${unknown.join(", ")}.`);
  const results: Result[] = [];
  for (const row of ROWS) {
    if (positionals.length > 0 && !positionals.some((word) => row.name.startsWith(word))) continue;
    const reason = row.unavailable?.();
    if (reason === undefined) results.push(await run(row));
    else if (values.json !== true) console.log(`${row.name}: not run, ${reason}\n`);
  }
  if (values.json === true) console.log(JSON.stringify(machineReport(results), null, 2));
  if (results.some((result) => kept(result) === false)) process.exitCode = 1;
}

async function run(row: Row): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), "perdura-bench-"));
  const rows = row.rows === undefined ? null : (wantedRows ?? row.rows);
  try {
    const { ours, peer } = row.sides(directory, rows ?? 0);
    const result = { row, rows, measurement: await compare(ours, peer, row.rounds) };
    if (values.json !== true) console.log(`${humanReport(result)}\n`);
    return result;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Not a number for anything else than one with `k` or `m` behind it, or nothing. */
function numberIn(text: string): number {
  const [, digits = "", unit = ""] = /^([1-9]\d*)([km]?)$/i.exec(text) ?? [];
  return digits === "" ? Number.NaN : Number(digits) * ({ k: 1e3, m: 1e6 }[unit.toLowerCase()] ?? 1);
}

function refuse(sentence: string): void {
  console.error(`${sentence}\n\n${USAGE}`);
  process.exitCode = 2;
}
