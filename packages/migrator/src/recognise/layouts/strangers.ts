import type { Layout } from "../layout.ts";

/** A database without any table. */
export const empty: Layout = {
  name: "empty",
  title: "empty database",
  treatment: "leave",
  sentence: "The database has no tables.",
  matches: ({ entries }) => !entries.some(({ type, name }) => type === "table" && !name.startsWith("sqlite_")),
};

/** Everything else; tables that happen to be called `metrics` or `interactions` included. */
export const foreign: Layout = {
  name: "foreign",
  title: "database of another program",
  treatment: "leave",
  sentence: "Its tables are not those of perdura or of the programs before it.",
  matches: () => true,
};
