import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ClusterOfRun, ServerOfRun } from "./postgres/server_of_run.ts";
import { htmlPage } from "./report/html_page.ts";
import { humanReport } from "./report/human.ts";
import { machineReport } from "./report/machine.ts";
import { kept, type Result } from "./run/result.ts";
import { markdownReport } from "./report/table.ts";
import type { Row } from "./row.ts";
import { ROWS } from "./rows.ts";
import { type Chart, runChart } from "./run/run_chart.ts";
import { type Run, runRow } from "./run/run_row.ts";
import { compileSides, stopSides } from "./run/side_client.ts";

/** Larger sizes would take hours. */
const MOST_ROWS = 10_000_000;

const USAGE = `usage: pnpm bench [NAME …] [OPTIONS]

Compare perdura with a named peer, both sides in alternation and in separate
processes, and print the ratio of their times and their peak memory. Ends with 1
if a row misses its goal. A NAME selects the rows that begin with it:
  ${ROWS.map(({ name }) => name).join("\n  ")}

  --rows N     use N rows of data (such as 300k, at most 10m) in rows without
               a fixed size [at most 100k]
  --rounds N   run N rounds, for a quick check; goals hold for the default
               number of rounds of each row
  --json       print JSON
  --markdown   print the table of dev/bench/README.md
  --html FILE  write a page with charts from 1k rows to N
  -h, --help   print this help

Files are created in the system's temporary directory (TMPDIR). A file system in
memory would hide the cost of syncing.`;

const OPTIONS = {
  json: { type: "boolean" },
  markdown: { type: "boolean" },
  html: { type: "string" },
  rows: { type: "string" },
  rounds: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/** Parses the command line; returns a sentence if it is invalid. */
function request(
  args: string[],
): { rows: Row[]; run: Pick<Run, "rows" | "rounds">; values: ReturnType<typeof parsed>["values"] } | string {
  let words: ReturnType<typeof parsed>;
  try {
    words = parsed(args);
  } catch (error) {
    return (error as Error).message;
  }
  const { values, positionals } = words;
  const [rows, rounds] = [numberIn(values.rows), numberIn(values.rounds)];
  if (Number.isNaN(rows) || (rows ?? 0) > MOST_ROWS)
    return `--rows: expected a number of rows such as 300k, at most 10m, got ${values.rows}.`;
  if (Number.isNaN(rounds)) return `--rounds: expected a number of rounds such as 3, got ${values.rounds}.`;
  if (values.json === true && values.markdown === true) return "--json and --markdown: expected one of them, got both.";
  if (values.html !== undefined && !existsSync(dirname(resolve(values.html))))
    return `--html: expected a file in a directory that exists, got ${values.html}.`;
  const unknown = positionals.filter((word) => !ROWS.some(({ name }) => name.startsWith(word)));
  if (unknown.length > 0) return `No row has a name that begins with ${unknown.join(", ")}.`;
  const selected = ROWS.filter(
    ({ name }) => positionals.length === 0 || positionals.some((word) => name.startsWith(word)),
  );
  return { rows: selected, run: { rows, rounds }, values };
}

function parsed(args: string[]) {
  return parseArgs({ args, allowPositionals: true, options: OPTIONS });
}

/** Null without a text; NaN for anything but a number with an optional suffix `k` or `m`. */
function numberIn(text: string | undefined): number | null {
  if (text === undefined) return null;
  const [, digits = "", unit = ""] = /^([1-9]\d*)([km]?)$/i.exec(text) ?? [];
  return digits === "" ? Number.NaN : Number(digits) * ({ k: 1e3, m: 1e6 }[unit.toLowerCase()] ?? 1);
}

/** Runs the command with its arguments; returns the exit code. */
export async function main(words: string[]): Promise<number> {
  const asked = request(words);
  if (typeof asked === "string") {
    say(process.stderr, `${asked}\n\n${USAGE}`);
    return 2;
  }
  if (asked.values.help === true) {
    say(process.stdout, USAGE);
    return 0;
  }
  const directory = mkdtempSync(join(tmpdir(), "perdura-bench-"));
  const [postgres, cluster] = [new ServerOfRun(), new ClusterOfRun()];
  // An interrupted run removes its files, too: they may have gigabytes.
  const listening = new AbortController();
  const stopped = Promise.race(["SIGINT", "SIGTERM"].map((name) => once(process, name, { signal: listening.signal })));
  let code: number | undefined;
  try {
    compileSides(join(directory, "compiled"));
    const done = runAll(asked.rows, { directory, postgres, cluster, ...asked.run }, asked.values);
    code = await Promise.race([done, stopped.then(() => undefined)]);
  } finally {
    stopped.catch(() => undefined);
    listening.abort();
    await stopSides();
    await postgres.close();
    await cluster.close();
    rmSync(directory, { recursive: true, force: true });
  }
  // An interrupted run is still waiting for its sides.
  return code ?? process.exit(1);
}

const say = (stream: NodeJS.WritableStream, text: string): void => void stream.write(`${text}\n`);

/** Returns the exit code. */
async function runAll(
  rows: readonly Row[],
  run: Run,
  { json, markdown, html }: { json?: boolean; markdown?: boolean; html?: string },
): Promise<number> {
  // Requested output goes to one stream, progress to the other.
  const meanwhile = json === true || markdown === true ? process.stderr : process.stdout;
  const results: Result[] = [];
  for (const row of rows) {
    const result = await runRow(row, run);
    results.push(result);
    say(meanwhile, `${humanReport(result)}\n`);
  }
  if (html !== undefined) writeFileSync(html, htmlPage(results, await runCharts(rows, run)));
  if (json === true) say(process.stdout, JSON.stringify(machineReport(results), null, 2));
  if (markdown === true) say(process.stdout, markdownReport(results));
  return results.some((result) => kept(result) === false) ? 1 : 0;
}

async function runCharts(rows: readonly Row[], run: Run): Promise<Chart[]> {
  const charts: Chart[] = [];
  for (const title of new Set(rows.flatMap(({ chart }) => chart ?? [])))
    charts.push(
      await runChart(
        title,
        rows.filter(({ chart }) => chart === title),
        run,
      ),
    );
  return charts.filter(({ lines }) => lines.length > 0);
}
