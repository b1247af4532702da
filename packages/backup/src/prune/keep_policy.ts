import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";
import type { BackupVersion } from "../layout/versions.ts";

/** Versions of each library to keep: those that at least one of these rules keeps, and always the newest. */
export interface KeepPolicy {
  /** Number of newest versions. */
  keepLast?: number | undefined;
  /** The newest of each hour (UTC), for this number of last hours that have versions. */
  keepHourly?: number | undefined;
  /** The newest of each day, likewise. */
  keepDaily?: number | undefined;
  /** The newest of each week, likewise; weeks begin on Monday. */
  keepWeekly?: number | undefined;
  /** The newest of each month, likewise. */
  keepMonthly?: number | undefined;
  /** The newest of each year, likewise. */
  keepYearly?: number | undefined;
}

/** Functions from `created_at` to its period: the common beginning of its times; for a week, its Monday. */
const PERIODS: Record<Exclude<keyof KeepPolicy, "keepLast">, (createdAt: string) => string> = {
  keepHourly: (createdAt) => createdAt.slice(0, 13),
  keepDaily: (createdAt) => createdAt.slice(0, 10),
  keepWeekly: mondayOf,
  keepMonthly: (createdAt) => createdAt.slice(0, 7),
  keepYearly: (createdAt) => createdAt.slice(0, 4),
};

export const KEEPS = ["keepLast", ...Object.keys(PERIODS)] as (keyof KeepPolicy)[];

/**
 * @throws ValidationError for an invalid number, and for a policy that keeps nothing, which would remove everything
 * except the newest by mistake.
 */
export function assertPolicy(policy: KeepPolicy): void {
  for (const name of KEEPS) {
    const value: unknown = policy[name];
    if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= 0)) continue;
    throw new ValidationError(`expected a whole number of at least 0, got ${describe(value)}. Nothing was removed.`, {
      argument: name,
    });
  }
  if (KEEPS.some((name) => (policy[name] ?? 0) > 0)) return;
  throw new ValidationError(`expected at least one of ${KEEPS.join(", ")} to be greater than 0. Nothing was removed.`);
}

/** @param versions Versions of one library, the newest first. */
export function keptOf(versions: readonly BackupVersion[], policy: KeepPolicy): Set<BackupVersion> {
  const kept = new Set(versions.slice(0, Math.max(1, policy.keepLast ?? 0)));
  for (const [name, periodOf] of Object.entries(PERIODS)) {
    const seen = new Set<string>();
    for (const version of versions) {
      const period = periodOf(version.created_at);
      if (seen.has(period)) continue;
      if (seen.size >= (policy[name as keyof KeepPolicy] ?? 0)) break;
      seen.add(period);
      kept.add(version);
    }
  }
  return kept;
}

function mondayOf(createdAt: string): string {
  const day = new Date(`${createdAt.slice(0, 10)}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}
