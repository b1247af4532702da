import fc from "fast-check";
import { expect, test } from "vitest";
import { isoOf, timeOf } from "../src/layout/stamps.ts";
import { type BackupVersion, versionName } from "../src/layout/versions.ts";
import { assertPolicy, type KeepPolicy, keptOf } from "../src/prune/keep_policy.ts";

function versionsAt(...stamps: string[]): BackupVersion[] {
  return stamps
    .toSorted()
    .toReversed()
    .map((stamp) => {
      const time = timeOf(`${stamp}.000000Z`) as bigint;
      return {
        name: "n",
        version: versionName(time, "0".repeat(64), "json"),
        created_at: isoOf(time),
        format: "json" as const,
        size: 1,
      };
    });
}

const DAYS = versionsAt(
  "20260101T090000",
  "20260101T100000",
  "20260101T103000",
  "20260103T000000",
  "20260104T235959",
  "20260105T000000",
  "20260201T120000",
  "20270101T000000",
);

const kept = (policy: KeepPolicy): string[] =>
  [...keptOf(DAYS, policy)].map(({ created_at: at }) => at.slice(0, 16)).sort();

test.each<[KeepPolicy, string[]]>([
  [{ keepLast: 1 }, ["2027-01-01T00:00"]],
  [{ keepLast: 3 }, ["2026-01-05T00:00", "2026-02-01T12:00", "2027-01-01T00:00"]],
  [{ keepYearly: 5 }, ["2026-02-01T12:00", "2027-01-01T00:00"]],
  [{ keepMonthly: 3 }, ["2026-01-05T00:00", "2026-02-01T12:00", "2027-01-01T00:00"]],
  // The 4th of January 2026 was a Sunday.
  [{ keepWeekly: 4 }, ["2026-01-04T23:59", "2026-01-05T00:00", "2026-02-01T12:00", "2027-01-01T00:00"]],
  [
    { keepDaily: 9 },
    [
      "2026-01-01T10:30",
      "2026-01-03T00:00",
      "2026-01-04T23:59",
      "2026-01-05T00:00",
      "2026-02-01T12:00",
      "2027-01-01T00:00",
    ],
  ],
  [
    { keepHourly: 9 },
    DAYS.filter(({ created_at: at }) => !at.startsWith("2026-01-01T10:00"))
      .map(({ created_at: at }) => at.slice(0, 16))
      .sort(),
  ],
  [{ keepLast: 0, keepYearly: 1 }, ["2027-01-01T00:00"]],
])("%j", (policy, wanted) => {
  expect(kept(policy)).toEqual(wanted);
});

test("every policy keeps the newest, and a larger one never keeps fewer", () => {
  const number = fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined });
  const policy = fc.record({ keepLast: number, keepDaily: number, keepWeekly: number, keepYearly: number });
  fc.assert(
    fc.property(policy, (one) => {
      const fewer = keptOf(DAYS, one);
      expect(fewer.has(DAYS[0] as BackupVersion)).toBe(true);
      const more = keptOf(DAYS, { ...one, keepDaily: (one.keepDaily ?? 0) + 1 });
      for (const version of fewer) expect(more.has(version)).toBe(true);
    }),
  );
});

test.each<[unknown, RegExp]>([
  [{}, /^expected at least one of keepLast/],
  [{ keepLast: 0 }, /^expected at least one of keepLast/],
  [{ keepLast: -1 }, /^keepLast: expected a whole number of at least 0, got -1/],
  [{ keepDaily: 1.5 }, /^keepDaily: .* got 1.5\. Nothing was removed/],
  [{ keepLast: 1, keepYearly: "2" }, /^keepYearly: .* got "2"/],
])("refuses %j", (policy, message) => {
  expect(() => assertPolicy(policy as KeepPolicy)).toThrow(message);
});
