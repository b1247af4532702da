import { expect, test } from "vitest";
import { countText, numberText, sizeText, timeText } from "../src/quantities.ts";

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1000, "1.0 kB"],
  [282_600, "282.6 kB"],
  [999_949, "999.9 kB"],
  [999_950, "1.0 MB"],
  [1_000_000, "1.0 MB"],
  [999_999_999, "1.0 GB"],
  [5.5e12, "5.5 TB"],
  [1e15, "1000.0 TB"],
  [1.5e18, "1500000.0 TB"],
])("%d bytes are shown as %s", (bytes, shown) => {
  expect(sizeText(bytes)).toBe(shown);
});

test("groups digits, and uses plurals", () => {
  expect(numberText(1_234_567)).toBe("1,234,567");
  expect([0, 1, 2, 12_345].map((count) => countText(count, "row"))).toEqual([
    "0 rows",
    "1 row",
    "2 rows",
    "12,345 rows",
  ]);
  expect([1, 2].map((count) => countText(count, "entry", "entries"))).toEqual(["1 entry", "2 entries"]);
});

test.each([
  ["2026-10-20T12:00:59Z", "2026-10-20 12:00 UTC"],
  ["2026-10-20T12:00:59.123456Z", "2026-10-20 12:00 UTC"],
  ["2026-10-20T12:00:59.Z", "2026-10-20T12:00:59.Z"],
  ["2026-10-20T12:00:59", "2026-10-20T12:00:59"],
  ["at 2026-10-20T12:00:59Z", "at 2026-10-20T12:00:59Z"],
  ["2026-10-20T12:00:59Z or so", "2026-10-20T12:00:59Z or so"],
  ["yesterday", "yesterday"],
])("the time %s is shown as %s", (iso, shown) => {
  expect(timeText(iso)).toBe(shown);
});
