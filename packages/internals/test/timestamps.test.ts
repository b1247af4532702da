import { expect, test } from "vitest";
import {
  assertClock,
  documentTimestamp,
  isTimestamp,
  readClock,
  sqliteTimestamp,
  systemClock,
  TIMESTAMP_TEXT,
} from "../src/text/timestamps.ts";

test.each([
  "2026-01-02T03:04:05",
  "2026-01-02 03:04:05",
  "2026-01-02T03:04:05.1",
  "2026-01-02T03:04:05.123456",
  "0001-01-01T00:00:00",
  "9999-12-31T23:59:59.999999",
  "2024-02-29T00:00:00",
  "2000-02-29T00:00:00",
  "2023-02-28T00:00:00",
  ...["01", "03", "05", "07", "08", "10", "12"].map((month) => `2023-${month}-31T00:00:00`),
  ...["04", "06", "09", "11"].map((month) => `2023-${month}-30T00:00:00`),
])("%s is a timestamp", (text) => {
  expect(isTimestamp(text)).toBe(true);
});

test.each([
  "",
  "2026-01-02T03:04:0",
  "2026-01-02T03:04:05.",
  "2026-01-02T03:04:05.1234567",
  "2026-01-02T03:04:05.12x",
  "2026-01-02T03:04:05./",
  "2026-01-02T03:04:05.:",
  "2026-01-02T03:04:05,1",
  "2026-01-02T03:04:05Z",
  "2026-01-02T03:04:05+00:00",
  "2026-01-02t03:04:05",
  "2026/01-02T03:04:05",
  "2026-01/02T03:04:05",
  "2026-01-02T03.04:05",
  "2026-01-02T03:04.05",
  "0000-01-01T00:00:00",
  "x026-01-02T03:04:05",
  "20x6-01-02T03:04:05",
  "202x-01-02T03:04:05",
  "2026-00-01T00:00:00",
  "2026-13-01T00:00:00",
  "2026-x1-01T00:00:00",
  "2026-01-00T00:00:00",
  "2026-01-x1T00:00:00",
  "2026-01-/1T00:00:00",
  "2026-01-1:T00:00:00",
  "2026-01-1/T00:00:00",
  "2026-01-02T24:00:00",
  "2026-01-02T00:60:00",
  "2026-01-02T00:00:60",
  "2023-02-29T00:00:00",
  "1900-02-29T00:00:00",
  "2024-02-30T00:00:00",
  ...["01", "03", "05", "07", "08", "10", "12"].map((month) => `2023-${month}-32T00:00:00`),
  ...["04", "06", "09", "11"].map((month) => `2024-${month}-31T00:00:00`),
])("%s is not a timestamp", (text) => {
  expect(isTimestamp(text)).toBe(false);
});

const refused = (shown: string): string =>
  `clock: expected a function that returns a Date in the years 1 to 9999; it returned ${shown}. Nothing was written.`;

test("a clock must return a Date in the years 1 to 9999", () => {
  for (const text of ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-01-02T03:04:05Z"]) {
    const moment = new Date(text);
    expect(readClock(() => moment)).toBe(moment);
  }
  expect(readClock(systemClock).getTime()).toBeGreaterThan(new Date("2026-01-01").getTime());
  for (const text of ["0000-12-31T23:59:59Z", "+010000-01-01T00:00:00Z", "no date"])
    expect(() => readClock(() => new Date(text))).toThrow(refused("an object of class Date"));
  expect(() => readClock(() => 5 as never)).toThrow(refused("5"));
});

test("a clock must be a function or undefined", () => {
  expect(() => assertClock(undefined)).not.toThrow();
  expect(() => assertClock(systemClock)).not.toThrow();
  expect(() => assertClock(null)).toThrow("clock: expected a function that returns a Date, got null.");
});

test("writes a Date in UTC to the second, in both formats", () => {
  const moment = new Date("2026-01-02T03:04:05.678Z");
  expect(documentTimestamp(moment)).toBe("2026-01-02T03:04:05");
  expect(sqliteTimestamp(moment)).toBe("2026-01-02 03:04:05");
  expect(isTimestamp(documentTimestamp(moment)) && isTimestamp(sqliteTimestamp(moment))).toBe(true);
  expect(TIMESTAMP_TEXT).toBe("a zone-less ISO 8601 timestamp (YYYY-MM-DDTHH:MM:SS, up to six fractional digits)");
});
