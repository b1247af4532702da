import { valuePlaces } from "@perdura/internals/json/value_places.js";
import { isPlainObject, type JsonObject, pointerTo } from "@perdura/internals/json/values.js";
import { parseJsonText } from "@perdura/internals/json/decode.js";
import { jsonObjectText } from "@perdura/internals/json/object_text.js";
import { PATTERN_FIELDS, type PatternField } from "@perdura/internals/validity/pattern_fields.js";
import type { PatternProblem } from "@perdura/internals/validity/pattern_problems.js";
import { rowReader, selected } from "@perdura/internals/patterns/sqlite_load.js";
import { RowFault, rowProblems, type StoredRow } from "@perdura/internals/patterns/stored_pattern.js";
import { columnNames, hasRowid, hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database, Statement } from "@perdura/internals/sqlite/open_database.js";
import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import {
  effectUnder,
  InvalidPatterns,
  type PatternDecisions,
  type Repair,
} from "@perdura/internals/validity/decide_patterns.js";
import type { InPieces } from "../../core/progress.ts";
import type { PatternChoice, UnusualRows } from "../../core/report.ts";
import { Stop } from "../../core/stop.ts";
import { spliced } from "../../core/splice.ts";
import { affinityOfUsage } from "./assigned_ids.ts";
import { choicesFor, ProblemCounter, reasonsOf } from "./decisions_report.ts";
import { rebuildPatternTable } from "../layouts/rebuild_pattern_table.ts";
import { differentPatternTables, fieldsIn16, type PatternTable } from "../layouts/pattern_tables.ts";
import { idOfKey, KEY_OF_ID } from "./id_keys.ts";
import { countFrom } from "../sql/count_from.ts";

/** A value that was changed so that version 16 reads it. */
export interface RepairedValue {
  column: string;
  value: string | null;
}

/** Identifies a row of the table `patterns`: its row id as text, or what {@link idOfKey} reads. */
type RowKey = string;

/** Rows of the table `patterns` that version 16 reads, and the treatment of the others. */
export interface PatternSurvey {
  rows: number;
  unusual: UnusualRows[];
  /** Combinations of decisions after which version 16 reads the table. */
  choices: PatternChoice[];
  /** Rows that the decisions make readable. `id` is that of the migrated row. */
  repaired: { key: RowKey; id: string; values: RepairedValue[] }[];
  /** Rows that stay unreadable, with the reasons. */
  unreadable: { key: RowKey; reason: string }[];
}

/** A row that version 16 does not read. */
interface JudgedRow {
  key: RowKey;
  /** Its JSON columns, if they contain tokens that are not JSON. */
  texts: Partial<Record<"context" | "tags", string>>;
  literals: ReadonlyMap<string, string>;
}

/** Number of rows that are read at a time. */
const BATCH_ROWS = 1000;

/** Reads the whole table `patterns` by the rules of the lines, as if it had the specified columns. */
export function* surveyPatterns(database: Database, decisions: PatternDecisions): InPieces<PatternSurvey> {
  assertRowIdsAreVisible(database);
  const different = differentPatternTables(database);
  const fields = fieldsIn16(different);
  const total = countFrom(database, "main.patterns");
  const survey: PatternSurvey = { rows: total, unusual: [], choices: [], repaired: [], unreadable: [] };
  const order = hasRowid(database, "patterns") ? "rowid" : "id";
  const readRow = rowReader(database, order, undefined, { has: () => false }, fields);
  const invalid = new InvalidPatterns<JudgedRow>({ assignsIds: canAssignIds(database, different) });
  let done = 0;
  for (const rows of rowBatches(database, order, fields)) {
    for (const row of rows) {
      const pattern = readRow(row);
      const key = row.at(-1) as RowKey;
      if (!(pattern instanceof RowFault)) invalid.addSound({ key, texts: {}, literals: new Map() }, pattern);
      else addInvalid(invalid, row, pattern, { database, key, order, fields });
    }
    done += rows.length;
    yield { done, total };
  }
  if (invalid.count === 0) return survey;
  const isExact = affinityOfUsage(database) === "BLOB";
  for (const id of idsInUse(database)) invalid.reserve(id, isExact);
  return { ...survey, ...decided(order, invalid, decisions), choices: choicesOf(invalid) };
}

/** @throws Stop for a column by whose values version 16 would order the patterns, and which it could overwrite. */
function assertRowIdsAreVisible(database: Database): void {
  if (!hasRowid(database, "patterns") || !columnNames(database, "patterns").includes("rowid")) return;
  throw new Stop(
    "refused",
    `The table patterns has a column rowid, which hides the row ids that version 16 orders patterns by. Nothing was changed. ${rebuildPatternTable(database, "patterns")}`,
  );
}

/** A row in the table `patterns`, and SQL for its fields. */
interface SurveyedRow {
  database: Database;
  key: RowKey;
  order: "rowid" | "id";
  fields: readonly string[];
}

function addInvalid(invalid: InvalidPatterns<JudgedRow>, row: StoredRow, fault: RowFault, place: SurveyedRow): void {
  const { pattern, problems } = rowProblems(row);
  const texts: JudgedRow["texts"] = {};
  for (const field of ["context", "tags"] as const) {
    const text = row[PATTERN_FIELDS.indexOf(field) + 1];
    if (typeof text !== "string") continue;
    const tokens = valuePlaces(Buffer.from(text).toString("latin1")).filter(({ token }) => token !== undefined);
    if (tokens.length === 0 || problems.some(({ code, field: of }) => code === "not_json" && of === field)) continue;
    texts[field] = text;
    for (const { path, token } of tokens) {
      const pointer = path.reduce(pointerTo, `/${field}`);
      if (problems.some((known) => known.code === "non_finite" && known.pointer === pointer)) continue;
      problems.push({ code: "non_finite", field, pointer, value: Number(token), reason: "", beyondSchema: false });
    }
  }
  if (fault.kind === "encoding" && fault.at !== undefined)
    problems.unshift({
      code: "not_utf8",
      field: fault.at,
      pointer: `/${fault.at}`,
      value: undefined,
      reason: fault.reason,
      beyondSchema: false,
    });
  const literals = new Map(
    problems.flatMap(({ field }) => (field === undefined ? [] : [[field, literalOf(row, field, place)] as const])),
  );
  invalid.addInvalid({ key: place.key, texts, literals }, pattern, problems.map(withExactText(place)));
}

/**
 * The problem of a number as an identifier, with its text in SQLite: that is what usage in a column of text has, and a
 * large integer has all digits.
 */
const withExactText =
  (row: SurveyedRow) =>
  (problem: PatternProblem): PatternProblem =>
    problem.code === "number_as_id" && problem.field !== undefined
      ? { ...problem, value: storedText(row, `CAST(${fieldOf(problem.field, row.fields)} AS TEXT)`) }
      : problem;

/** SQL for a field of a pattern. */
const fieldOf = (field: string, fields: readonly string[]): string =>
  fields[PATTERN_FIELDS.indexOf(field as PatternField)] as string;

/** The text that SQL makes of a row. */
function storedText({ database, key, order }: SurveyedRow, sql: string): string {
  return database
    .prepare(`SELECT ${sql} FROM main.patterns WHERE ${order} = ${placeOf(order)}`)
    .pluck()
    .get(key) as string;
}

/** SQL for what identifies a row, from its key. */
const placeOf = (order: "rowid" | "id"): string => (order === "rowid" ? "CAST(? AS INTEGER)" : idOfKey("?"));

function decided(
  order: "rowid" | "id",
  invalid: InvalidPatterns<JudgedRow>,
  decisions: PatternDecisions,
): Pick<PatternSurvey, "unusual" | "repaired" | "unreadable"> {
  const counter = new ProblemCounter(decisions, invalid.assignsIds);
  const found: Pick<PatternSurvey, "repaired" | "unreadable"> = { repaired: [], unreadable: [] };
  for (const { invalid: one, problems, readable, repairs, id } of invalid.resolve(decisions).items) {
    const { key, literals } = one.key;
    const place = order === "id" ? one.shownId : key;
    const shown = problems.map((problem) => ({
      ...problem,
      shown: literals.get(problem.field ?? "") ?? problem.shown,
    }));
    counter.addPattern(shown, one.shownId, ({ field }) => `row ${place}, column ${field ?? "id"}`, readable);
    if (readable && id !== undefined) found.repaired.push({ key, id, values: valuesOf(one.key, repairs, decisions) });
    else found.unreadable.push({ key, reason: reasonsOf(problems).join("; ") });
  }
  return { ...found, unusual: counter.reports() };
}

/**
 * False if a downgrade could not restore ids: the record of converted values identifies a pattern by its id, and usage
 * with numbers alone cannot have both a number and its text.
 */
function canAssignIds(database: Database, different: readonly PatternTable[]): boolean {
  if (different.some(({ name, otherTypes }) => name === "patterns" && otherTypes.length > 0)) return false;
  return ["TEXT", "BLOB", undefined].includes(affinityOfUsage(database));
}

/** The texts that usage refers to, also of patterns that are missing. */
function idsInUse(database: Database): string[] {
  if (!hasTable(database, "pattern_usage")) return [];
  return database
    .prepare("SELECT DISTINCT pattern_id FROM main.pattern_usage WHERE typeof(pattern_id) = 'text'")
    .pluck()
    .all() as string[];
}

/** The values of the columns after the repairs. The id is the last: it can be what identifies the row. */
function valuesOf({ texts }: JudgedRow, repairs: readonly Repair[], decisions: PatternDecisions): RepairedValue[] {
  const values = new Map<string, string | null>();
  for (const { field, pointer, value } of repairs) {
    const text = field === "context" || field === "tags" ? texts[field] : undefined;
    if (text === undefined || pointer === `/${field}`) values.set(field, value);
    else if (!values.has(field)) values.set(field, withoutTokens(text, field, decisions));
  }
  const repaired = [...values].map(([column, value]) => ({ column, value }));
  return repaired.toSorted((one, other) => Number(one.column === "id") - Number(other.column === "id"));
}

/**
 * JSON text with its tokens replaced, as version 16 writes it: then a program of 16 that saves the pattern unchanged
 * does not change the text, and `down` still finds it.
 */
function withoutTokens(text: string, field: string, decisions: PatternDecisions): string {
  const bytes = Buffer.from(text);
  const edits = valuePlaces(bytes.toString("latin1")).flatMap(({ path, token, start, end }) => {
    if (token === undefined) return [];
    const pointer = path.reduce(pointerTo, `/${field}`);
    const isText = effectUnder({ code: "non_finite", pointer }, decisions) === "text";
    return [{ start, end, text: isText ? JSON.stringify(token) : "null" }];
  });
  const value = parseJsonText(spliced(bytes, edits).toString(), () => field);
  return isPlainObject(value) ? jsonObjectText(value as JsonObject, field) : JSON.stringify(value);
}

function choicesOf(invalid: InvalidPatterns<JudgedRow>): PatternChoice[] {
  return choicesFor(invalid, (decisions, quarantines) => {
    const { unreadable, changed } = invalid.resolve(decisions);
    return { complete: quarantines || unreadable === 0, quarantined: unreadable, removed: 0, changed };
  });
}

/** Yields the rows in order, each followed by its key: a row id beyond 2^53 is exact only as text. */
function* rowBatches(database: Database, order: "rowid" | "id", fields: readonly string[]): Generator<StoredRow[]> {
  const key = order === "rowid" ? "CAST(rowid AS TEXT)" : KEY_OF_ID;
  const rows = (further: string): Statement<unknown[], StoredRow> =>
    database
      .prepare<unknown[], StoredRow>(
        `SELECT ${selected(order, fields)}, ${key} FROM main.patterns ${further} LIMIT ${BATCH_ROWS}`,
      )
      .raw();
  let batch = rows(`ORDER BY ${order}`).all();
  const next = rows(`WHERE ${order} > ${placeOf(order)} ORDER BY ${order}`);
  while (batch.length > 0) {
    yield batch;
    batch = next.all(batch.at(-1)?.at(-1));
  }
}

function literalOf(row: StoredRow, field: string, { database, key, order, fields }: SurveyedRow): string {
  const value = row[PATTERN_FIELDS.indexOf(field as PatternField) + 1];
  if (typeof value === "string") return sqlText(value.slice(0, SHOWN));
  const sql = fieldOf(field, fields);
  const shown = Buffer.isBuffer(value) ? `substr(${sql}, 1, ${SHOWN})` : sql;
  return storedText({ database, key, order, fields }, `quote(${shown})`);
}

/** Maximum length of a text or a blob that is shown. */
const SHOWN = 40;

/** True if version 16 reads the whole table unchanged. */
export function isReadable({ unusual }: PatternSurvey): boolean {
  return unusual.length === 0;
}
