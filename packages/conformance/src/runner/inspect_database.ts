import { SOUNDNESS_CHECK } from "../corpus/own_checks.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ScratchStatement, SqliteCheck } from "../corpus/case.ts";
import { judgeRequirement } from "../judge_file/judge_requirement.ts";
import { match } from "../matching/match.ts";
import { resolve } from "../matching/scope.ts";
import type { Scope } from "../matching/scope.ts";
import { isObject, valueAt } from "../values/json_value.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";
import { brokenIntegrity, isConstraint, openCopy } from "../inspect/database_copy.ts";
import type { ScratchDatabase } from "../inspect/database_copy.ts";
import { named } from "../inspect/findings.ts";
import type { Finding } from "../inspect/findings.ts";
import { suiteText } from "../inspect/suite_text.ts";
import { missing } from "../inspect/text_files.ts";

/**
 * Inspects a copy of a database that the implementation wrote: its integrity and every check.
 * @param scratch a folder of the suite for the copy.
 * @param path the database, or a file that was built from a dump of its tables.
 */
export function inspectDatabase(
  file: string,
  checks: SqliteCheck[],
  scope: Scope,
  scratch: string,
  path: string = join(scope.directory, file),
): Finding[] {
  if (!existsSync(path)) return [missing(file)];
  const database = openCopy(path, scratch);
  try {
    const unsound = attempt(SOUNDNESS_CHECK, () => soundness(database));
    return unsound.length > 0
      ? unsound
      : checks.flatMap((check) => attempt(check.id, () => applyCheck(database, check, scope)));
  } finally {
    database.close();
  }
}

/** An error of SQLite is a finding about the judged file: a missing table, a column of another name. */
function attempt(check: string, inspect: () => Finding[]): Finding[] {
  try {
    return inspect();
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || !String(error.code).startsWith("SQLITE_")) throw error;
    return [{ check, at: "", wanted: "a database that this check can query", got: suiteText(error.message) }];
  }
}

function soundness(database: ScratchDatabase): Finding[] {
  const integrity = match([], [...brokenIntegrity(database)], 0);
  // Foreign keys of other tables are not described.
  const usage = database.rows("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND lower(name) = 'pattern_usage'");
  const orphans = usage.length === 0 ? [] : database.rows("PRAGMA foreign_key_check(pattern_usage)");
  return named(SOUNDNESS_CHECK, [...integrity, ...match([], orphans, 0)]);
}

function applyCheck(database: ScratchDatabase, check: SqliteCheck, scope: Scope): Finding[] {
  const compare = (expected: JsonValue, actual: JsonValue | undefined, at = ""): Finding[] =>
    named(check.id, match(resolve(expected, scope), actual, scope.began, at));
  if ("meets" in check)
    return judgeRequirement(database, check.meets).map((finding) => ({ check: check.id, ...finding }));
  if ("rows" in check) return compare(check.is, namedLike(check.is, database.rows(check.rows)));
  if ("scratch" in check) return tryOut(database, check.scratch, compare, check.id);
  if ("indexes" in check) return compare(check.is, valueAt(indexesOf(database, check.indexes), check.at), check.at);
  if ("foreign_keys" in check) {
    const keys = database.rows(
      'SELECT "from", "table", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq',
      check.foreign_keys,
    );
    return compare(
      check.is,
      keys.map((key) => ({ from: key.from ?? null, table: key.table ?? null, to: key.to ?? "id" })),
    );
  }
  const names = "columns" in check ? columnsOf(database, check.columns) : tablesOf(database);
  const lacks = "lacks" in check ? (check.lacks ?? []) : [];
  return [
    ...(check.has ?? [])
      .filter((name) => !includes(names, name))
      .map((name) => ({ check: check.id, at: "", wanted: `"${name}" among the names`, got: names })),
    ...lacks
      .filter((name) => includes(names, name))
      .map((name) => ({ check: check.id, at: "", wanted: `no "${name}" among the names`, got: names })),
    ...(check.is === undefined ? [] : compare(check.is, names)),
  ];
}

/** SQLite compares names without regard to the case of ASCII letters. */
function includes(names: string[], name: string): boolean {
  return names.some((other) => other.toLowerCase() === name.toLowerCase());
}

/** Rows with the names of columns in the spelling of the expectation, if they differ only in the case of letters. */
function namedLike(expected: JsonValue, rows: JsonObject[]): JsonObject[] {
  const first = Array.isArray(expected) ? expected[0] : undefined;
  const spelling = new Map(isObject(first) ? Object.keys(first).map((name) => [name.toLowerCase(), name]) : []);
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [spelling.get(name.toLowerCase()) ?? name, value])),
  );
}

/** Runs statements on the copy and rolls them back: constraints and defaults are judged by their effect. */
function tryOut(
  database: ScratchDatabase,
  statements: ScratchStatement[],
  compare: (expected: JsonValue, actual: JsonValue) => Finding[],
  check: string,
): Finding[] {
  const findings: Finding[] = [];
  database.run("BEGIN");
  try {
    for (const statement of statements) {
      if ("rows" in statement)
        findings.push(...compare(statement.is, namedLike(statement.is, database.rows(statement.rows))));
      else findings.push(...judge(database, statement.run, statement.outcome, check));
    }
  } finally {
    database.run("ROLLBACK");
  }
  return findings;
}

function judge(database: ScratchDatabase, sql: string, outcome: "accepted" | "refused", check: string): Finding[] {
  let refusal: string | undefined;
  try {
    database.run(sql);
  } catch (error) {
    if (!isConstraint(error)) throw error;
    refusal = (error as Error).message;
  }
  const asWanted = (refusal === undefined) === (outcome === "accepted");
  return asWanted
    ? []
    : [
        {
          check,
          at: "",
          wanted: `${outcome} by the table's constraints: ${sql}`,
          got: suiteText(refusal ?? "accepted"),
        },
      ];
}

function columnsOf(database: ScratchDatabase, table: string): string[] {
  return database
    .rows("SELECT name FROM pragma_table_xinfo(?) ORDER BY cid", table)
    .map((column) => String(column.name));
}

function tablesOf(database: ScratchDatabase): string[] {
  return database
    .rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .map((table) => String(table.name));
}

function indexesOf(database: ScratchDatabase, table: string): Record<string, JsonValue> {
  const indexes = database
    .rows("SELECT name FROM pragma_index_list(?) ORDER BY name", table)
    .map((index) => String(index.name));
  return Object.fromEntries(
    indexes.map((name) => [
      name,
      database.rows("SELECT name FROM pragma_index_info(?) ORDER BY seqno", name).map((column) => column.name ?? null),
    ]),
  );
}
