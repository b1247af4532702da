import { describe, expect, it } from "vitest";
import { durationText } from "../src/figure_texts.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365.25 * DAY;

describe("a duration is written in the unit that suits it", () => {
  it.each([
    [0, "0 ms"],
    [0.000_001, "<0.001 ms"],
    [0.02, "0.02 ms"],
    [0.3456, "0.346 ms"],
    [9.996, "10 ms"],
    [61.26, "61.3 ms"],
    [132.4, "132 ms"],
    [999.4, "999 ms"],
    [999.6, "1 s"],
    [1234, "1.23 s"],
    [90 * SECOND, "90 s"],
    [2 * MINUTE, "2 min"],
    [119.9 * MINUTE, "120 min"],
    [3.5 * HOUR, "3.5 h"],
    [36 * HOUR, "36 h"],
    [1e9, "11.6 days"],
    [500 * DAY, "500 days"],
    [3 * YEAR, "3 years"],
    [1234 * YEAR, "1,230 years"],
    [1e20, "3.17B years"],
    [1e300, "3.2e289 years"],
    [-1500, "-1.5 s"],
    [Infinity, "Infinity"],
    [Number.NaN, "NaN"],
  ])("%d ms: %s", (milliseconds, text) => expect(durationText(milliseconds)).toBe(text));
});
