import { isTimestamp } from "@perdura/internals/text/timestamps.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { convertTimestamp } from "@perdura/internals/validity/convert_timestamp.js";

test.each([
  ["2024-03-10T02:30:00+02:00", "with_zone", "2024-03-10T02:30:00", "2024-03-10T00:30:00"],
  ["2024-03-10T02:30:00.123456-0530", "with_zone", "2024-03-10T02:30:00.123456", "2024-03-10T08:00:00.123456"],
  ["2024-03-10 02:30:00Z", "with_zone", "2024-03-10T02:30:00", "2024-03-10T02:30:00"],
  ["2024-03-10T02:30:00 UTC", "with_zone", "2024-03-10T02:30:00", "2024-03-10T02:30:00"],
  ["2024-03-10T02:30+01", "with_zone", "2024-03-10T02:30:00", "2024-03-10T01:30:00"],
  ["1883-11-18T12:00:00-04:56:02", "with_zone", "1883-11-18T12:00:00", "1883-11-18T16:56:02"],
  ["2024-03-10", "a_date_alone", "2024-03-10T00:00:00", "2024-03-10T00:00:00"],
  ["2024-03-10T02:30", "without_seconds", "2024-03-10T02:30:00", "2024-03-10T02:30:00"],
  [1710037800, "a_number", "2024-03-10T02:30:00", "2024-03-10T02:30:00"],
  [1710037800.25, "a_number", "2024-03-10T02:30:00.25", "2024-03-10T02:30:00.25"],
  [1710037800123, "a_number", "2024-03-10T02:30:00.123", "2024-03-10T02:30:00.123"],
  ["20240310T023000", "other_notation", "2024-03-10T02:30:00", "2024-03-10T02:30:00"],
  ["20240310T023000.5Z", "with_zone", "2024-03-10T02:30:00.5", "2024-03-10T02:30:00.5"],
  ["20240310 0230", "without_seconds", "2024-03-10T02:30:00", "2024-03-10T02:30:00"],
  ["20240310023000", "other_notation", "2024-03-10T02:30:00", "2024-03-10T02:30:00"],
  [20240310023000, "other_notation", "2024-03-10T02:30:00", "2024-03-10T02:30:00"],
  ["20240310", "a_date_alone", "2024-03-10T00:00:00", "2024-03-10T00:00:00"],
  ["2024-03-10T02:30:00,25", "other_notation", "2024-03-10T02:30:00.25", "2024-03-10T02:30:00.25"],
  ["2024-03-10t02:30:00", "other_notation", "2024-03-10T02:30:00", "2024-03-10T02:30:00"],
  ["2024-03-10T02:30:00.1234567", "other_notation", "2024-03-10T02:30:00.123456", "2024-03-10T02:30:00.123456"],
  ["", "empty", null, null],
  [" ", "empty", null, null],
  ["1710037800.123456", "a_number", "2024-03-10T02:30:00.123456", "2024-03-10T02:30:00.123456"],
])("brings %j into form", (written, fault, local, utc) => {
  expect(convertTimestamp(written, "drop-zone")).toEqual({ fault, repaired: local });
  expect(convertTimestamp(written, "utc")).toEqual({ fault, repaired: utc });
});

test.each([
  "yesterday",
  "2024-02-30",
  "2024-03-10T25:00:00Z",
  "2024-03-10Z",
  "2024-W10-7",
  "10.03.2024 02:30",
  12,
  -5,
  1e300,
  Number.NaN,
  null,
  true,
  Buffer.from("2024-03-10"),
])("does not guess at %j", (written) => {
  expect(convertTimestamp(written, "utc")).toBe(undefined);
});

test("does not repair a time that is outside of the calendar in UTC", () => {
  expect(convertTimestamp("0001-01-01T00:00:00+01:00", "utc")).toEqual({ fault: "with_zone", repaired: undefined });
  expect(convertTimestamp("9999-12-31T23:59:59-00:01", "utc")).toEqual({ fault: "with_zone", repaired: undefined });
  expect(convertTimestamp("0001-01-01T00:00:00+01:00", "drop-zone")?.repaired).toBe("0001-01-01T00:00:00");
});

test("keeps the moment, digit for digit", () => {
  const moment = fc.date({ min: new Date(0), max: new Date("9998-01-01"), noInvalidDate: true });
  const minutes = fc.integer({ min: -23 * 60, max: 23 * 60 });
  fc.assert(
    fc.property(moment, minutes, fc.stringMatching(/^\.[0-9]{1,6}$/), (utc, offset, fraction) => {
      const local = new Date(utc.getTime() + offset * 60_000).toISOString().slice(0, 19);
      const [hours, rest] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
      const zone = `${offset < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
      const { repaired } = convertTimestamp(`${local}${fraction}${zone}`, "utc") ?? {};
      fc.pre(isTimestamp(local));
      expect(repaired).toBe(`${utc.toISOString().slice(0, 19)}${fraction}`);
    }),
  );
});
