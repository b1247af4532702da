import { numberText, timeText } from "@perdura/cli/quantities.js";
import { type Column, Table } from "@perdura/cli/table.js";
import { printable } from "@perdura/cli/terminal.js";
import type { ArchivedState } from "../archive/read/list_archived.ts";

const COLUMNS: readonly Column<ArchivedState>[] = [
  { title: "user", rank: 0, text: ({ user_id: user }) => printable(user) },
  { title: "level", right: true, rank: 2, text: ({ current_level: level }) => cell(level) },
  { title: "target", right: true, rank: 5, text: ({ target_level: level }) => cell(level) },
  { title: "trust", right: true, rank: 3, text: ({ trust_level: trust }) => cell(trust) },
  { title: "interactions", right: true, rank: 4, text: ({ interaction_count: count }) => cell(count) },
  { title: "successes", right: true, rank: 7, text: ({ success_count: count }) => cell(count) },
  { title: "failures", right: true, rank: 8, text: ({ failure_count: count }) => cell(count) },
  { title: "last", rank: 6, text: ({ last_interaction: last }) => (last === null ? "-" : printable(timeText(last))) },
  {
    title: "",
    rank: 1,
    text: ({ status, reason }) => (reason === null ? "" : printable(`${status === "ok" ? "" : "broken: "}${reason}`)),
  },
];

/** A table of states whose columns are as wide as its first rows need. */
export function statesTable(sample: readonly ArchivedState[], width: number): Table<ArchivedState> {
  return new Table(COLUMNS, sample, width);
}

function cell(value: number | null): string {
  return value === null ? "-" : numberText(value);
}
