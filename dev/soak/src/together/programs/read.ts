import { isDeepStrictEqual } from "node:util";
import type { UserStats } from "@perdura/v16";
import { lineOf } from "../lines.ts";
import { statsOf } from "../recorded.ts";
import { say, untilSignal } from "./say.ts";

/**
 * `read.ts LINE DATABASE`: reads statistics and users repeatedly, while others record. Counts must never decrease, a
 * user's statistics must be those of the first rows, and their sum must be between the totals before and after.
 */
const [number = "", path = ""] = process.argv.slice(2);
const collector = lineOf(number).open(path);
const seen = new Map<string, number>();
let total = 0;

/** Number of rows of a user. */
function rowsOf(user: string): number {
  const { first_use: first, last_use: last, ...stats }: UserStats = collector.getUserStats(user);
  const { total_operations: count } = stats;
  const before = seen.get(user) ?? 0;
  if (count < before) say("wrong", `the number of rows of ${user} fell from ${before} to ${count}`);
  if (!isDeepStrictEqual(stats, statsOf(count)))
    say("wrong", `${user} has ${JSON.stringify(stats)}, but ${count} rows add up to ${JSON.stringify(statsOf(count))}`);
  if (first === null || last === null || first > last)
    say("wrong", `${user} has first_use ${String(first)} and last_use ${String(last)}`);
  seen.set(user, count);
  return count;
}

function totalNow(): number {
  const { total_interactions: rows, total_users: users } = collector.getGlobalStats();
  if (rows < total) say("wrong", `the total number of rows fell from ${total} to ${rows}`);
  if (users < seen.size) say("wrong", `getGlobalStats counts ${users} users, but ${seen.size} were seen`);
  total = rows;
  return rows;
}

await untilSignal(() => {
  const before = totalNow();
  const users = collector.getAllUsers();
  if (!isDeepStrictEqual(users, [...new Set(users)].toSorted()))
    say("wrong", `the users are not sorted: ${users.join()}`);
  for (const user of seen.keys()) if (!users.includes(user)) say("wrong", `the user ${user} disappeared`);
  const sum = users.reduce((rows, user) => rows + rowsOf(user), 0);
  const after = totalNow();
  if (sum < before || sum > after)
    say("wrong", `the users have ${sum} rows in total, but the database had ${before} before and ${after} after`);
  say("checked", users.length + 3);
});
collector.close();
