import { copyFileSync, existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import { rollupStatistics } from "@perdura/internals/metrics/rollup/rollup_statistics.js";
import Database from "better-sqlite3";
import { dataFile, typicalUsers } from "./interactions.ts";

/** The keys that are declared in {@link toolsFile}. */
const KEYS = { keys: ["tool", "model"], numbers: ["tokens"] } as const;

/** A database whose interactions have metadata with ten tools, three models and tokens, with their sums. */
export function toolsFile(shared: string, rows: number): string {
  const path = join(shared, `tools-${rows}.db`);
  if (existsSync(path)) return path;
  const half = `${path}.half`;
  copyFileSync(dataFile(shared, { layout: "plain", rows, users: typicalUsers(rows) }), half);
  new MetricsCollector(half, { durability: "normal", breakdown: KEYS }).close();
  const database = new Database(half);
  database.pragma("journal_mode = OFF");
  database.pragma("synchronous = OFF");
  database.exec(`INSERT INTO interaction_metadata SELECT id, json_object(
    'tool', 'tool ' || (id * 7 % 10), 'model', 'model ' || (id % 3), 'tokens', id % 1000) FROM interactions`);
  database.pragma("journal_mode = WAL");
  rollupStatistics(database, "level", { piece: 100_000, sliceMs: 1000 }).foldAll();
  database.close();
  renameSync(half, path);
  return path;
}
