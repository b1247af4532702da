import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { answer, bounded } from "../answer.ts";
import type { Store } from "../store.ts";

const MOST_USERS = 50;
const MOST_PERIODS = 100;
const MOST_VALUES = 50;

/** Longer values of metadata are cut, because they are for reading only. */
const LONGEST_VALUE = 200;

/** Longer ids are left out of lists: a part of an id would be another id. */
const LONGEST_ID = 200;

const NOTHING = { note: "No interaction was recorded yet." };

/** Adds the tools that answer questions about recorded interactions. */
export function addMetricsTools(server: McpServer, store: Store): void {
  const annotations = { readOnlyHint: true, openWorldHint: false };
  const user = z.string().optional().describe("Id of one user; without it, all users together");
  const range = {
    since: z.string().optional().describe("First moment in UTC, for example 2026-11-22 or 2026-11-22T16:00:00"),
    until: z.string().optional().describe("First moment in UTC that is not included any more"),
  };
  server.registerTool(
    "get_statistics",
    {
      title: "Get statistics",
      description: `Return how well the recorded interactions went: number of operations, success rate from 0 to 1, mean response time in milliseconds, and for one user how often each level (1 reactive to 5 systemic) occurred. Without a user it also lists ids of users, at most ${MOST_USERS}.`,
      inputSchema: z.strictObject({ user_id: user, ...range }),
      annotations,
    },
    async ({ user_id, since, until }) => {
      const metrics = store.metrics();
      if (metrics === undefined) return answer(NOTHING);
      const limits = { since, until };
      if (user_id !== undefined) return answer({ user_id, ...(await metrics.getUserStats(user_id, limits)) });
      const users = await metrics.getAllUsers();
      const shown = users.filter((id) => id.length <= LONGEST_ID).slice(0, MOST_USERS);
      const left = users.length - shown.length;
      return answer({
        ...(await metrics.getGlobalStats(limits)),
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
        ...range,
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
  server.registerTool(
    "get_breakdown",
    {
      title: "Get a breakdown",
      description: `Compare the recorded interactions by a value of their metadata, for example each tool or model: number of operations, success rate, mean response time and its percentiles in milliseconds, most operations first. Use it to find out which tool fails or is slow, and with numbers what it costs. At most ${MOST_VALUES} values are returned; a last row without a value has all others together.`,
      inputSchema: z.strictObject({
        key: z.string().describe('Key of the metadata, usually "tool" or "model"'),
        user_id: user,
        ...range,
        numbers: z
          .array(z.string())
          .max(5)
          .optional()
          .describe('Keys whose numbers are summed, such as "input_tokens"'),
      }),
      annotations,
    },
    async ({ key, ...options }) => {
      const metrics = store.metrics();
      if (metrics === undefined) return answer(NOTHING);
      const rows = await metrics.getBreakdown(key, { ...options, limit: MOST_VALUES });
      return answer({ values: rows.map((row) => ("value" in row ? { ...row, value: shortValue(row.value) } : row)) });
    },
  );
}

/** The value, or the beginning of its text. */
function shortValue(value: unknown): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= LONGEST_VALUE ? value : bounded(text, LONGEST_VALUE);
}
