import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import Database from "better-sqlite3";
import { dataFile, typicalUsers } from "../data/interactions.ts";
import type { Place, Row } from "../row.ts";
import type { Side } from "../measure/measure.ts";

const source = (shared: string, rows: number): string =>
  dataFile(shared, { layout: "perdura", rows, users: typicalUsers(rows) });

function perdura({ directory, shared }: Place, rows: number, name = "perdura"): Side {
  const collector = new MetricsCollector(source(shared, rows));
  const path = join(directory, `perdura-${rows}.jsonl`);
  return {
    name,
    prepare: () => rmSync(path, { force: true }),
    round: () => collector.exportMetrics(path),
    close: () => collector.close(),
  };
}

const BUFFER = 64 * 1024;

/** Exports every row in order, with buffered writes; without checks, syncs or atomicity. */
function plain({ directory, shared, rows }: Place): Side {
  const database = new Database(source(shared, rows), { readonly: true });
  const select = database.prepare("SELECT * FROM interactions ORDER BY id");
  const path = join(directory, "plain.jsonl");
  return {
    name: "JSON.stringify",
    prepare: () => rmSync(path, { force: true }),
    round: () => {
      const descriptor = openSync(path, "w");
      let text = "";
      for (const row of select.iterate()) {
        text += `${JSON.stringify(row)}\n`;
        if (text.length < BUFFER) continue;
        writeSync(descriptor, text);
        text = "";
      }
      writeSync(descriptor, text);
      closeSync(descriptor);
      return rows;
    },
    close: () => database.close(),
  };
}

const tenth = (rows: number): number => Math.ceil(rows / 10);

/** Exports as lines of JSON. */
export const EXPORT: Row[] = [
  {
    name: "export-jsonl",
    what: "export all rows as lines of JSON, atomic and synced, per row",
    peer: "iterate, JSON.stringify and buffered writes",
    rounds: 7,
    atMost: 1,
    rows: 100_000,
    chart: "Export as lines of JSON, per row",
    data: ({ shared, rows }) => void source(shared, rows),
    sides: { ours: (place) => perdura(place, place.rows), peer: plain },
  },
  {
    name: "export-memory",
    what: "peak memory of an export as lines of JSON",
    peer: "the same at a tenth of the rows",
    rounds: 3,
    rows: 100_000,
    atMost: 1.3,
    goalOf: "memory",
    data: ({ shared, rows }) => [rows, tenth(rows)].forEach((size) => source(shared, size)),
    sides: {
      ours: (place) => perdura(place, place.rows),
      peer: (place) => perdura(place, tenth(place.rows), "a tenth of the rows"),
    },
  },
];
