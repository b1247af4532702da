import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { answer } from "../answer.ts";
import type { Store } from "../store.ts";

const MOST_USERS = 50;
const MOST_PERIODS = 100;

/** Longer ids are left out of lists: a part of an id would be another id. */
const LONGEST_ID = 200;

const NOTHING = { note: "No interaction was recorded yet." };

/** Adds the tools that answer questions about recorded interactions. */
export function addMetricsTools(server: McpServer, store: Store): void {
  const annotations = { readOnlyHint: true, openWorldHint: false };
  const user = z.string().optional().describe("Id of one user; without it, all users together");
  server.registerTool(
    "get_statistics",
    {
      title: "Get statistics",
      description: `Return how well the recorded interactions went: number of operations, success rate from 0 to 1, mean response time in milliseconds, and for one user how often each level (1 reactive to 5 systemic) occurred. Without a user it also lists ids of users, at most ${MOST_USERS}.`,
      inputSchema: z.strictObject({ user_id: user }),
      annotations,
    },
    async ({ user_id }) => {
      const metrics = store.metrics();
      if (metrics === undefined) return answer(NOTHING);
      if (user_id !== undefined) return answer({ user_id, ...(await metrics.getUserStats(user_id)) });
      const users = await metrics.getAllUsers();
      const shown = users.filter((id) => id.length <= LONGEST_ID).slice(0, MOST_USERS);
      const left = users.length - shown.length;
      return answer({
        ...(await metrics.getGlobalStats()),
        users: shown,
        ...(left > 0 ? { note: `${left} more users are not listed.` } : {}),
      });
    },
  );
  server.registerTool(
    "get_trend",
    {
      title: "Get a trend",
      description: `Return operations, success rate and response time by hour, day, week or month (UTC), the oldest period first; for one user also trust from 0 to 1. Use it to see whether something gets better or worse. At most the ${MOST_PERIODS} newest periods are returned; set since and until for others.`,
      inputSchema: z.strictObject({
        user_id: user,
        bucket: z.enum(["hour", "day", "week", "month"]).default("day").describe("Length of a period"),
        since: z.string().optional().describe("First moment in UTC, for example 2026-11-22 or 2026-11-22T16:00:00"),
        until: z.string().optional().describe("First moment in UTC that is not included any more"),
      }),
      annotations,
    },
    async ({ user_id, bucket, since, until }) => {
      const metrics = store.metrics();
      if (metrics === undefined) return answer(NOTHING);
      const options = { bucket, since, until };
      const periods = await (user_id === undefined
        ? metrics.getGlobalTrend(options)
        : metrics.getUserTrend(user_id, options));
      const left = Math.max(0, periods.length - MOST_PERIODS);
      return answer({
        periods: periods.slice(left),
        ...(left > 0 ? { note: `${left} older periods are not shown.` } : {}),
      });
    },
  );
}
