import { join } from "node:path";
import * as v16 from "@perdura/v16";
import { expect } from "vitest";
import { freshFolder } from "./fresh_folder.ts";

/** Arguments for which each call succeeds; those of optional parameters are undefined. */
export type Calls = Record<string, readonly unknown[]>;

export const QUESTIONS: Calls = {
  getUserStats: ["u", undefined],
  getGlobalStats: [undefined],
  getAllUsers: [],
  getUserTrend: ["u", undefined],
  getGlobalTrend: [undefined],
  getBreakdown: ["tool", undefined],
};

export const listAndExport = (): Calls => ({
  listInteractions: [undefined],
  exportMetrics: [join(freshFolder(), "rows.json"), undefined],
});

export const DELETIONS: Calls = { forgetUser: ["u", undefined], deleteBefore: ["2020-01-01", undefined] };

export const RECORDS_16: Calls = { recordInteraction: ["u", 1, true, 1], recordMetric: ["u", true, 1, null] };

export const library = (): v16.PatternLibrary => new v16.PatternLibrary();

export const NOTHING_TO_DELETE = { agent_id: "nobody" };

/** Of a store of patterns: in a file, in memory, or on a server. */
export const STORE: Calls = { save: [library(), undefined], load: [undefined], deleteUsage: [NOTHING_TO_DELETE] };

/** Calls each method with one argument more than it has; then without. */
export async function expectRefused(subject: object, calls: Calls): Promise<void> {
  for (const [name, given] of Object.entries(calls)) {
    const method = (subject as Record<string, (...given: unknown[]) => unknown>)[name] as (
      ...given: unknown[]
    ) => unknown;
    const call = async (...more: unknown[]): Promise<unknown> => method.call(subject, ...given, ...more);
    const refusal = { code: "PERDURA_VALIDATION", argument: "arguments" };
    await expect(call({ surplus: 1 }), name).rejects.toMatchObject(refusal);
    await expect(call(undefined), name).rejects.toMatchObject(refusal);
    await call();
  }
}
