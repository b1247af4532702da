import { expect, test } from "vitest";
import { htmlPage } from "../src/report/html_page.ts";
import { humanReport } from "../src/report/human.ts";
import { kept, type Result, shownRatio } from "../src/run/result.ts";
import { markdownReport } from "../src/report/table.ts";
import type { Row } from "../src/row.ts";
import { spread } from "../src/measure/measure.ts";
import { sizesUpTo } from "../src/run/run_chart.ts";
import { elementsOf } from "./elements.ts";

const HOSTILE = `<script src="x">alert('1')</script> & | "more" > all`;

const side = (name: string, memory: number | null) => ({
  name,
  time: { median: 2, low: 1, high: 3 },
  memory,
  remarks: [],
});

function result(row: Partial<Row>, ratio: number, memory: [number | null, number | null], rows = 1000): Result {
  const sides = { ours: () => side("a", 1) as never, peer: () => side("b", 1) as never };
  return {
    row: { name: "row", what: "work", peer: "another", rounds: 3, sides, ...row },
    rows,
    rounds: 3,
    measurement: {
      ours: side("perdura", memory[0]),
      peer: side("another", memory[1]),
      timeRatio: { median: ratio, low: ratio / 2, high: ratio * 2 },
    },
  };
}

test("the page escapes every text", () => {
  const chart = {
    title: HOSTILE,
    lines: [{ name: HOSTILE, points: [1000, 10_000].map((rows) => ({ rows, milliseconds: rows / 500 })) }],
  };
  const { elements, text } = elementsOf(htmlPage([result({ name: HOSTILE, peer: HOSTILE }, 1, [1, 2])], [chart]));
  expect(elements.map(({ name }) => name)).not.toContain("script");
  // Twice in the table; in the chart above it, in the legend and at both points.
  expect(text.split(HOSTILE)).toHaveLength(1 + 2 + 4);
  expect(elements.some(({ attributes }) => attributes["aria-label"]?.startsWith(HOSTILE))).toBe(true);
});

test("the Markdown table escapes its cells", () => {
  const [head, rule, row] = markdownReport([result({ peer: HOSTILE, atMost: 0.2 }, 0.1, [30, 20])]).split("\n");
  const columns = (line = ""): number => line.replaceAll("\\|", "").split("|").length;
  expect([columns(rule), columns(row)]).toEqual([columns(head), columns(head)]);
  expect(row?.split(/ +(?<!\\)\| /).slice(-5)).toEqual([
    "1,000",
    "1/10.0 (1/20.0 to 1/5.00)",
    "1.50",
    "at most 1/5.00",
    "kept |",
  ]);
});

test("kept compares the time or the memory with the goal, from its size on", () => {
  expect(kept(result({}, 9, [9, 1]))).toBe(null);
  expect(kept(result({ atMost: 1.2 }, 1.2, [9, 1]))).toBe(true);
  expect(kept(result({ atMost: 1.2 }, 1.21, [1, 1]))).toBe(false);
  expect(kept(result({ atMost: 1.2, goalFrom: 1001 }, 9, [1, 1]))).toBe(null);
  expect(kept(result({ atMost: 1.2, goalFrom: 1000 }, 9, [1, 1]))).toBe(false);
  expect(kept(result({ atMost: 1.2, goalOf: "memory" }, 9, [1.1, 1]))).toBe(true);
  expect(kept(result({ atMost: 1.2, goalOf: "memory" }, 1, [1.3, 1]))).toBe(false);
  expect(kept(result({ atMost: 1.2, goalOf: "memory" }, 1, [1.3, null]))).toBe(null);
});

test("the text report has the ratio, the memory of both sides, and the result against the goal", () => {
  expect(humanReport(result({ atMost: 0.2 }, 0.25, [30, 20]))).toBe(`row: work, 1,000 rows
  against another
  time ratio 1/4.00 (middle half 1/8.00 to 1/2.00, 3 rounds)
  peak memory 30 MB against 20 MB, ratio 1.50
  goal: at most 1/5.00: MISSED`);
  expect(
    humanReport(result({ atMost: 0.2, goalFrom: 10_000 }, 0.25, [30, null]))
      .split("\n")
      .slice(-2),
  ).toEqual(["  peak memory 30 MB against unknown", "  goal: at most 1/5.00 from 10,000 rows on"]);
});

test("ratios have three significant digits", () => {
  expect([1.234, 0.67, 0.5, 1 / 25, 1 / 123_456, 12_345].map(shownRatio)).toEqual([
    "1.23",
    "0.670",
    "1/2.00",
    "1/25.0",
    "1/123,000",
    "12,300",
  ]);
});

test("spread returns the median and the middle half", () => {
  expect(spread([3])).toEqual({ median: 3, low: 3, high: 3 });
  expect(spread([5, 1, 4, 2, 3])).toEqual({ median: 3, low: 2, high: 4 });
  expect(spread([4, 1])).toEqual({ median: 2.5, low: 1.75, high: 3.25 });
});

test("sizesUpTo returns powers of ten from 1000 to the size", () => {
  expect(sizesUpTo(1000)).toEqual([1000]);
  expect(sizesUpTo(300_000)).toEqual([1000, 10_000, 100_000, 300_000]);
});
