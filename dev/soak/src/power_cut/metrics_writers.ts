import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import { mustBe } from "../operations/operation.ts";
import { fileIn, METRICS_LINES, rowsIn } from "../operations/recording_operations.ts";
import { countOf, type Writer } from "./writer.ts";

const BATCH = 20;
const EXPORTED = 400;

/** Number of complete rows in order, which the statistics must confirm. */
function countedRows(directory: string): number {
  const rows = rowsIn(directory);
  const collector = new MetricsCollector(fileIn(directory));
  try {
    mustBe(collector.getGlobalStats().total_interactions, rows, "all interactions in the statistics");
    mustBe(collector.getAllUsers().length, rows, "all users");
    return rows;
  } finally {
    collector.close();
  }
}

function batchesIn(directory: string): number {
  const rows = rowsIn(directory);
  if (rows % BATCH !== 0) throw new Error(`${rows} rows include part of a batch of ${BATCH}`);
  return rows / BATCH;
}

const usersOf = (turn: number): string[] => Array.from({ length: BATCH }, (_, row) => `u${(turn - 1) * BATCH + row}`);

const LINES: Writer[] = METRICS_LINES.flatMap(({ number, open, many }): Writer[] => [
  {
    row: `record (${number})`,
    process: number,
    layOut: () => undefined,
    open: (directory) => {
      const collector = open(directory);
      return (turn) => void collector.recordInteraction(`u${turn - 1}`, 2, true, 5);
    },
    writesIn: number === "16" ? countedRows : rowsIn,
  },
  {
    row: `record batches (${number})`,
    process: number,
    layOut: () => undefined,
    open: (directory) => {
      const collector = open(directory);
      return (turn) => void many(collector, usersOf(turn));
    },
    writesIn: batchesIn,
  },
  {
    row: `record by a writer, many at once (${number})`,
    process: number,
    layOut: () => undefined,
    open: (directory) => {
      const writer = open(directory).writer();
      return async (turn) =>
        void (await Promise.all(usersOf(turn).map((user) => writer.recordInteraction(user, 2, true, 5))));
    },
    writesIn: batchesIn,
  },
]);

/** True if an export exists; throws unless it has all rows, up to the last one. */
function isWhole(path: string): boolean {
  if (!existsSync(path)) return false;
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  mustBe(lines.length, EXPORTED, `lines of ${path}`);
  lines.forEach((line, row) => mustBe((JSON.parse(line) as { user_id: string }).user_id, `u${row}`, `line ${row}`));
  return true;
}

/** Recording and exporting. */
export const METRICS_WRITERS: readonly Writer[] = [
  ...LINES,
  {
    row: "record with durability normal",
    process: "16",
    layOut: () => undefined,
    open: (directory) => {
      const collector = new MetricsCollector(fileIn(directory), { durability: "normal" });
      return (turn) => void collector.recordInteraction(`u${turn - 1}`, 2, true, 5);
    },
    writesIn: countedRows,
    mayLose: true,
  },
  {
    row: "export",
    process: "16",
    layOut: (directory) => {
      const collector = new MetricsCollector(fileIn(directory));
      try {
        const rows = Array.from({ length: EXPORTED }, (_, row) => `u${row}`);
        collector.recordMany(rows.map((user_id) => ({ user_id, level: 2, success: true, response_time_ms: 5 })));
      } finally {
        collector.close();
      }
    },
    open: (directory) => (turn) => {
      const collector = new MetricsCollector(fileIn(directory));
      try {
        collector.exportMetrics(join(directory, `metrics-${turn}.jsonl`));
      } finally {
        collector.close();
      }
    },
    writesIn: (directory) => {
      mustBe(rowsIn(directory), EXPORTED, "rows");
      return countOf((turn) => isWhole(join(directory, `metrics-${turn}.jsonl`)));
    },
  },
];
