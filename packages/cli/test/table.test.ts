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
const LONG = { path: "a/very/long/path/metrics.db", kind: "metrics of before 16", rows: "1,234,567" };
const SHORT = { path: "x.db", kind: "state", rows: "7" };

function shown(columns: readonly Column<Row>[], width: number, sample: readonly Row[] = [LONG, SHORT]): string[] {
  const table = new Table(columns, sample, width);
  return [table.title(), table.row(LONG), table.row(SHORT)];
}

test("columns are as wide as their widest cell, numbers at the right, and nothing stands behind the last", () => {
  expect(shown([PATH, KIND, ROWS], Infinity)).toEqual([
    "path                         kind                       rows",
    "a/very/long/path/metrics.db  metrics of before 16  1,234,567",
    "x.db                         state                         7",
  ]);
  expect(shown([PATH, ROWS, KIND], Infinity)[2]).toBe("x.db                                 7  state");
});

test("a title may be the widest cell, and rows that come later may be wider", () => {
  expect(shown([{ ...KIND, title: "what it is" }, ROWS], Infinity, [SHORT])).toEqual([
    "what it is  rows",
    "metrics of before 16  1,234,567",
    "state          7",
  ]);
});

test("wide characters take two columns", () => {
  const row = { ...SHORT, path: "漢字.db" };
  const table = new Table([PATH, KIND], [row, SHORT], 80);
  expect([table.row(row), table.row(SHORT)]).toEqual(["漢字.db  state", "x.db     state"]);
});

test("where there is less room names are cut, but not below twelve columns", () => {
  expect(shown([PATH, KIND, ROWS], 60)[1]).toBe("a/very/long/path/metrics.db  metrics of before 16  1,234,567");
  expect(shown([PATH, KIND, ROWS], 59)[1]).toBe("a/very/long/path/metrics.…  metrics of before 16  1,234,567");
  expect(shown([PATH, KIND, ROWS], 47).slice(1)).toEqual([
    "a/very/long/p…  metrics of before 16  1,234,567",
    "x.db            state                         7",
  ]);
});

test("where there is too little room the column of the highest rank is left out", () => {
  expect(shown([PATH, KIND, ROWS], 46)).toEqual([
    "path                              rows",
    "a/very/long/path/metrics.db  1,234,567",
    "x.db                                 7",
  ]);
});

test("two columns stay in any case, and the line is cut", () => {
  expect(shown([PATH, KIND, ROWS], 20)).toEqual([
    "path               …",
    "a/very/long…  1,234…",
    "x.db               …",
  ]);
});

test("a later row that is too long is cut in the name only", () => {
  const table = new Table([PATH, ROWS], [SHORT], 80);
  expect(table.row(LONG)).toBe("a/v…  1,234,567");
});

test("the second column is counted as twelve, and may be cut where the name has the room", () => {
  const state = { ...ROWS, right: false, text: ({ kind }: Row) => kind };
  expect(shown([PATH, state], 37)[1]).toBe("a/very/long/path/metri…  metrics of …");
});
