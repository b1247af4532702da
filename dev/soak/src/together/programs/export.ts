import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readExport } from "../read_export.ts";
import { judgeRows } from "../judge_rows.ts";
import { lineOf } from "../lines.ts";
import { statsOf } from "../recorded.ts";
import { say, untilSignal } from "./say.ts";

/**
 * `export.ts LINE DATABASE DIRECTORY`: exports everything in each format in turn, while others record. Each export must
 * hold the rows of one moment, not before that of earlier statistics.
 */
const [number = "", path = "", directory = ""] = process.argv.slice(2);
const line = lineOf(number);
const collector = line.open(path);
const formats = ["json", "jsonl", "csv"] as const;
let turn = 0;

await untilSignal(() => {
  const file = join(directory, `all.${formats[turn % formats.length]}`);
  turn += 1;
  const known = new Map(collector.getAllUsers().map((user) => [user, collector.getUserStats(user).total_operations]));
  const before = collector.getGlobalStats().total_interactions;
  const written = collector.exportMetrics(file);
  const after = collector.getGlobalStats().total_interactions;
  const { rows, users, global } = readExport(file, line.levelColumn);
  const found = judgeRows(rows, known);
  for (const text of [...found.lost, ...found.wrong]) say("wrong", `in an export: ${text}`);
  if (written !== found.rows) say("wrong", `an export reported ${written} rows, but has ${found.rows}`);
  if (written < before || written > after)
    say("wrong", `an export has ${written} rows, but the database had ${before} before and ${after} after`);
  if (global !== undefined && (global.total_interactions !== written || global.total_users !== found.counts.size))
    say("wrong", `an export of ${written} rows of ${found.counts.size} users states ${JSON.stringify(global)}`);
  for (const [user, { first_use: _first, last_use: _last, ...stats }] of users)
    if (!isDeepStrictEqual(stats, statsOf(found.counts.get(user) ?? 0)))
      say("wrong", `an export with ${found.counts.get(user)} rows of ${user} states ${JSON.stringify(stats)}`);
  rmSync(file);
  const left = readdirSync(directory);
  if (left.length > 0) say("wrong", `an export left ${left.join()} behind`);
  say("checked", 1);
});
collector.close();
