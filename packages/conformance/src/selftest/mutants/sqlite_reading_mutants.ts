import { rmSync, writeFileSync } from "node:fs";
import type { JsonObject } from "../../values/json_value.ts";
import { answers, ok, row, value } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";
import { cannotRead, loads, loadsLibrary, prepares, rowsOf } from "./sqlite_mutations.ts";

const FIELDS =
  "id agent_id pattern_type name description context code confidence usage_count success_count failure_count tags discovered_at last_used updated_at".split(
    " ",
  );

/** Gives the value of the first column to the first field, whatever the column is called. */
const byPlace: Mutation = answers("load_from_sqlite", (answer, { args }) => {
  const columns = rowsOf(args.db_path as string, "SELECT name FROM pragma_table_info('patterns')").map((column) =>
    String(column.name),
  );
  const misread = (pattern: JsonObject): JsonObject =>
    Object.fromEntries(FIELDS.map((field, place) => [field, pattern[columns[place] ?? ""] ?? null]));
  return value(answer, (library) => ({
    ...(library as JsonObject),
    patterns: ((library as JsonObject).patterns as JsonObject[]).map(misread),
  }));
});

const emptyInstead: Mutation = answers("load_from_sqlite", (answer) =>
  answer.type === "error" ? ok(answer, { patterns: [], agent_contributions: {} }) : answer,
);

/** Databases of others, and files that are none, read wrongly. */
export const SQLITE_READING_MUTANTS: readonly Mutant[] = [
  row(
    "reads only the patterns that nobody used",
    "R-4.1/load-from-sqlite",
    16,
    "patterns-sqlite/load-described",
    loadsLibrary((library) => ({
      ...library,
      patterns: (library.patterns as JsonObject[]).filter(({ id }) => id !== "p1"),
    })),
  ),
  row(
    "hands out what it stores: tags as text",
    "R-4.1/load-from-sqlite",
    15,
    "patterns-sqlite/load-described",
    loads((pattern) => ({ ...pattern, tags: JSON.stringify(pattern.tags) })),
  ),
  row(
    "cannot read rows without a description",
    "R-2.1/optional",
    16,
    "patterns-sqlite/load-bare-row",
    cannotRead("SELECT 1 FROM patterns WHERE description IS NULL"),
  ),
  row(
    "reads a missing context as an empty one",
    "R-2.1/none.default",
    15,
    "patterns-sqlite/load-bare-row-values",
    loads((pattern) => ({ ...pattern, context: pattern.context ?? {} })),
  ),
  row(
    "cannot read a database with another table",
    "R-4.1/foreign-files",
    16,
    "patterns-sqlite/load-made-by-hand",
    cannotRead("SELECT 1 FROM sqlite_schema WHERE name = 'notes'"),
  ),
  row(
    "does not look into the write-ahead log",
    "R-4.1/foreign-files",
    16,
    "patterns-sqlite/load-wal",
    prepares("load_from_sqlite", ({ args }) => rmSync(`${args.db_path as string}-wal`)),
  ),
  row(
    "cannot read UTF-16",
    "R-4.1/foreign-files",
    15,
    "patterns-sqlite/load-utf-16",
    cannotRead("SELECT 1 FROM pragma_encoding WHERE encoding <> 'UTF-8'"),
  ),
  row("knows columns by their places", "R-4.1/foreign-files", 16, "patterns-sqlite/load-column-order", byPlace),
  row(
    "reads JSON only as it writes it",
    "R-4.1/foreign-files",
    15,
    "patterns-sqlite/load-json-spellings",
    cannotRead("SELECT 1 FROM patterns WHERE context <> json(context)"),
  ),
  row(
    "cannot read a confidence of storage class integer",
    "R-4.1/foreign-files",
    16,
    "patterns-sqlite/load-integer-confidence",
    cannotRead("SELECT 1 FROM patterns WHERE typeof(confidence) = 'integer'"),
  ),
  row(
    "raises an error of its own for a missing database",
    "R-7/sqlite.not-found",
    16,
    "patterns-sqlite/load-missing",
    answers("load_from_sqlite", (answer) => (answer.type === "error" ? { ...answer, kind: "other" } : answer)),
  ),
  row(
    "leaves a file where there was none",
    "U-sqlite-missing",
    16,
    "patterns-sqlite/load-missing-creates-nothing",
    answers("load_from_sqlite", (answer, request) => (writeFileSync(request.args.db_path as string, ""), answer)),
  ),
  row(
    "gives an empty library for a missing database",
    "U-sqlite-missing",
    15,
    "patterns-sqlite/load-missing-answer",
    emptyInstead,
  ),
  row(
    "gives an empty library for another database",
    "U-sqlite-not-a-library",
    16,
    "patterns-sqlite/load-not-a-library",
    emptyInstead,
  ),
  row(
    "gives an empty library for a text file",
    "U-sqlite-not-a-library",
    15,
    "patterns-sqlite/load-not-a-database",
    emptyInstead,
  ),
  row(
    "gives an empty library for an empty file",
    "U-sqlite-not-a-library",
    16,
    "patterns-sqlite/load-empty-file",
    emptyInstead,
  ),
];
