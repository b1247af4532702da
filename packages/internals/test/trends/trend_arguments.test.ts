import { expect, test } from "vitest";
import { ValidationError } from "../../src/errors/errors.ts";
import { askedTrend, askedUserTrend } from "../../src/metrics/trends/trend_arguments.ts";

test.for([
  ["2026-11-26", "2026-11-26T00:00:00.000"],
  ["2026-11-26T10:20:30", "2026-11-26T10:20:30.000"],
  ["2026-11-26 10:20:30.5", "2026-11-26T10:20:30.500"],
  ["2026-11-26T10:20:30.123456Z", "2026-11-26T10:20:30.123"],
  [new Date(Date.UTC(2026, 10, 26, 10, 20, 30, 7)), "2026-11-26T10:20:30.007"],
] as const)("since and until accept %s", ([given, moment]) => {
  expect(askedTrend({ since: given, until: given })).toEqual({
    bucket: "day",
    since: moment,
    until: moment,
    percentiles: false,
  });
});

test.for([
  "",
  "2026",
  "2026-11",
  "2026-02-30",
  "2026-11-26Z",
  "2026-11-26T10:20",
  "2026-11-26T10:20:30+02:00",
  "now",
  new Date(Number.NaN),
  new Date(8.64e15),
  1764152430,
  null,
  {},
])("since refuses %s", (since) => {
  expect(() => askedTrend({ since: since as string })).toThrow(ValidationError);
  expect(() => askedUserTrend({ since: since as string })).toThrow(/^since: expected a Date, or a date or time in UTC/);
});

test.for(["", "year", "Day", null, 5])("bucket refuses %s", (bucket) => {
  expect(() => askedTrend({ bucket: bucket as "day" })).toThrow(/^bucket: expected hour, day, week, month, got /);
});

test("percentiles is a boolean", () => {
  expect(askedTrend({ percentiles: true }).percentiles).toBe(true);
  expect(() => askedTrend({ percentiles: 1 as unknown as boolean })).toThrow(/^percentiles: expected a boolean, got 1/);
});

test("figures of trust are from 0 to 1, and only users have trust", () => {
  expect(askedUserTrend({ trust: { gain: 0.2 } }).trust).toEqual({ initial: 0.5, gain: 0.2, loss: 0.1 });
  expect(askedUserTrend({ trust: { loss: 1 / 3 } }).trust.loss).toBe(0.333333333);
  for (const figure of [-0.1, 1.1, Number.NaN, "0.5", null])
    expect(() => askedUserTrend({ trust: { loss: figure as number } })).toThrow(
      /^trust\.loss: expected a number from 0 to 1/,
    );
  expect(() => askedUserTrend({ trust: { decay: 1 } as object })).toThrow(/^trust: unknown option "decay"/);
  expect(() => askedTrend({ trust: {} } as object)).toThrow(/^options: unknown option "trust"/);
  expect(() => askedTrend([] as object)).toThrow(/^options: expected an object/);
});
