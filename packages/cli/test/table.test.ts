import { expect, test } from "vitest";
import { type Column, Table } from "../src/table.ts";

interface Row {
  path: string;
  kind: string;
  rows: string;
}

const PATH: Column<Row> = { title: "path", rank: 0, text: ({ path }) => path };
const KIND: Column<Row> = { title: "kind", rank: 2, text: ({ kind }) => kind };
const ROWS: Column<Row> = { title: "rows", rank: 1, right: true, text: ({ rows }) => rows };
const LONG = { path: "a/very/long/path/metrics.db", kind: "metrics, pre-16 line", rows: "1,234,567" };
const SHORT = { path: "x.db", kind: "state", rows: "7" };

function shown(columns: readonly Column<Row>[], width: number, sample: readonly Row[] = [LONG, SHORT]): string[] {
  const table = new Table(columns, sample, width);
  return [table.title(), table.row(LONG), table.row(SHORT)];
}

test("columns are as wide as their widest cell, numbers are right-aligned, and lines have no trailing spaces", () => {
  expect(shown([PATH, KIND, ROWS], Infinity)).toEqual([
    "path                         kind                       rows",
    "a/very/long/path/metrics.db  metrics, pre-16 line  1,234,567",
    "x.db                         state                         7",
  ]);
  expect(shown([PATH, ROWS, KIND], Infinity)[2]).toBe("x.db                                 7  state");
});

test("a title may be the widest cell, and later rows may be wider", () => {
  expect(shown([{ ...KIND, title: "what it is" }, ROWS], Infinity, [SHORT])).toEqual([
    "what it is  rows",
    "metrics, pre-16 line  1,234,567",
    "state          7",
  ]);
});

test("wide characters count as two columns", () => {
  const row = { ...SHORT, path: "漢字.db" };
  const table = new Table([PATH, KIND], [row, SHORT], 80);
  expect([table.row(row), table.row(SHORT)]).toEqual(["漢字.db  state", "x.db     state"]);
});

test("with less room, names are truncated, to at least twelve columns", () => {
  expect(shown([PATH, KIND, ROWS], 60)[1]).toBe("a/very/long/path/metrics.db  metrics, pre-16 line  1,234,567");
  expect(shown([PATH, KIND, ROWS], 59)[1]).toBe("a/very/long/path/metrics.…  metrics, pre-16 line  1,234,567");
  expect(shown([PATH, KIND, ROWS], 47).slice(1)).toEqual([
    "a/very/long/p…  metrics, pre-16 line  1,234,567",
    "x.db            state                         7",
  ]);
});

test("omitted columns are named", () => {
  const omitted = (width: number, more: readonly Column<Row>[] = []): string[] =>
    new Table([PATH, KIND, ROWS, ...more], [LONG], width).omitted();
  expect(omitted(47)).toEqual([]);
  expect(omitted(46)).toEqual(["not shown in 46 columns: kind"]);
  expect(
    omitted(46, [
      { ...KIND, title: "layout" },
      { ...KIND, title: "" },
    ]),
  ).toEqual(["not shown in 46 columns: kind, layout"]);
  expect(omitted(24)).toEqual(["not shown in 24 columns…"]);
});

test("with too little room, the column of the highest rank is omitted", () => {
  expect(shown([PATH, KIND, ROWS], 46)).toEqual([
    "path                              rows",
    "a/very/long/path/metrics.db  1,234,567",
    "x.db                                 7",
  ]);
});

test("two columns are always kept, and the line is truncated", () => {
  expect(shown([PATH, KIND, ROWS], 20)).toEqual([
    "path               …",
    "a/very/long…  1,234…",
    "x.db               …",
  ]);
});

test("only the name of a later row that is too long is truncated", () => {
  const table = new Table([PATH, ROWS], [SHORT], 80);
  expect(table.row(LONG)).toBe("a/v…  1,234,567");
});

test("the second column counts as at most twelve columns, and is truncated after the name", () => {
  const state = { ...ROWS, right: false, text: ({ kind }: Row) => kind };
  expect(shown([PATH, state], 37)[1]).toBe("a/very/long/path/metri…  metrics, pr…");
});
