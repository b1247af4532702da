import { PATTERN_FIELDS } from "@perdura/internals/patterns/pattern.js";
import { rowReader, selected } from "@perdura/internals/patterns/sqlite_load.js";
import { RowFault, type StoredRow } from "@perdura/internals/patterns/stored_pattern.js";
import { hasRowid } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { InPieces } from "../../core/progress.ts";
import type { UnusualRows } from "../../core/report.ts";
import { sqlText } from "../sql/sql_text.ts";
import { differentPatternTables, fieldsIn16 } from "./pattern_columns.ts";
import { diagnoseRow, type PatternDecisions, type PatternKind, type RepairedValue } from "./invalid_patterns.ts";

/** Maximum number of values and ids of each kind in the report. */
const EXAMPLES = 5;

interface Counted {
  kind: PatternKind;
  rows: number;
  blocks: boolean;
  values: Map<string, number>;
  ids: string[];
}

/** Counts invalid patterns by kind, for the report. */
export class InvalidPatternCounter {
  readonly #kinds = new Map<string, Counted>();

  /**
   * @param kinds Findings about one pattern.
   * @param literal Shows the value of a field; undefined if that has no use.
   * @param readable True if the decisions make the pattern readable.
   */
  add(
    kinds: readonly PatternKind[],
    id: string,
    literal: (field: string) => string | undefined,
    readable: boolean,
  ): void {
    const seen = new Set<string>();
    for (const kind of kinds) {
      const counted = this.#countedOf(kind);
      if (!seen.has(kind.kind)) {
        counted.rows += 1;
        counted.blocks ||= !readable;
        if (counted.ids.length < EXAMPLES) counted.ids.push(id);
      }
      seen.add(kind.kind);
      const shown = literal(kind.field);
      if (shown === undefined) continue;
      if (counted.values.size < EXAMPLES || counted.values.has(shown))
        counted.values.set(shown, (counted.values.get(shown) ?? 0) + 1);
    }
  }

  #countedOf(kind: PatternKind): Counted {
    let counted = this.#kinds.get(kind.kind);
    if (counted === undefined)
      this.#kinds.set(kind.kind, (counted = { kind, rows: 0, blocks: false, values: new Map(), ids: [] }));
    return counted;
  }

  reports(): UnusualRows[] {
    return [...this.#kinds.values()].map(({ kind, rows, blocks, values, ids }) => ({
      kind: kind.kind,
      description: kind.description,
      rows,
      blocks,
      decision: kind.decision,
      values: [...values].map(([literal, held]) => ({ literal, rows: held })),
      row_ids: ids,
    }));
  }
}

const REPAIRS = {
  nonFinite: "repair them with --non-finite null or text",
  timestamps: "repair them with --timestamps drop-zone or utc",
} as const;

/** The pending decisions about invalid patterns, in a sentence; null if none is needed. */
export function pendingPatternDecisions(unusual: readonly UnusualRows[]): string | null {
  const open = unusual.filter(({ blocks }) => blocks);
  if (open.length === 0) return null;
  const repairs = Object.entries(REPAIRS).filter(([decision]) => open.some((rows) => rows.decision === decision));
  const ways = [...repairs.map(([, way]) => way), "move them to quarantine with --invalid-rows quarantine"];
  return `Version 16 cannot read some patterns. Correct them, ${ways
    .slice(0, -1)
    .map((way) => `${way}, `)
    .join("")}or ${ways.at(-1)}.`;
}

/** Identifies a row of the table `patterns`: its row id as text, or its id if the table has no row id. */
type RowKey = string;

/** Rows of the table `patterns` that version 16 reads, and the treatment of the others. */
export interface PatternSurvey {
  rows: number;
  unusual: UnusualRows[];
  /** Rows that the decisions make readable. */
  repaired: { key: RowKey; id: string; values: RepairedValue[] }[];
  /** Rows that stay unreadable, with the reasons. */
  unreadable: { key: RowKey; reason: string }[];
}

/** Number of rows that are read at a time. */
const BATCH_ROWS = 1000;

/** Reads the whole table `patterns` by the rules of the lines, as if it had the specified columns. */
export function* surveyPatterns(database: Database, decisions: PatternDecisions): InPieces<PatternSurvey> {
  const fields = fieldsIn16(differentPatternTables(database));
  const total = database.prepare("SELECT count(*) FROM main.patterns").pluck().get() as number;
  const survey: PatternSurvey = { rows: total, unusual: [], repaired: [], unreadable: [] };
  const order = hasRowid(database, "patterns") ? "rowid" : "id";
  const ids = new Set<string>();
  const readRow = rowReader(database, order, undefined, ids, fields);
  const unusual = new InvalidPatternCounter();
  let done = 0;
  for (const rows of rowBatches(database, order, fields)) {
    for (const row of rows) {
      const pattern = readRow(row);
      if (!(pattern instanceof RowFault)) {
        ids.add(pattern.id);
        continue;
      }
      const key = row.at(-1) as RowKey;
      const { kinds, readable, id, repaired } = diagnoseRow(row, pattern, readRow, decisions);
      unusual.add(kinds, idOf(row), (field) => literalOf(database, row, field), readable);
      if (readable && id !== undefined) {
        ids.add(id);
        survey.repaired.push({ key, id, values: repaired });
      } else survey.unreadable.push({ key, reason: kinds.map(({ description }) => description).join("; ") });
    }
    done += rows.length;
    yield { done, total };
  }
  return { ...survey, unusual: unusual.reports() };
}

/** Yields the rows in order, each followed by its key: a row id beyond 2^53 is exact only as text. */
function* rowBatches(database: Database, order: "rowid" | "id", fields: readonly string[]): Generator<StoredRow[]> {
  const statement = database
    .prepare(
      `SELECT ${selected(order, fields)}, CAST(${order} AS TEXT) FROM main.patterns WHERE ${order} > ${order === "rowid" ? "CAST(? AS INTEGER)" : "?"} ORDER BY ${order} LIMIT ${BATCH_ROWS}`,
    )
    .raw();
  let rows = database
    .prepare(
      `SELECT ${selected(order, fields)}, CAST(${order} AS TEXT) FROM main.patterns ORDER BY ${order} LIMIT ${BATCH_ROWS}`,
    )
    .raw()
    .all() as StoredRow[];
  while (rows.length > 0) {
    yield rows;
    rows = statement.all(rows.at(-1)?.at(-1)) as StoredRow[];
  }
}

/** The id of a row for output; a value that is not text becomes an SQL literal. */
function idOf([, id]: StoredRow): string {
  return typeof id === "string" ? id : String(id);
}

function literalOf(database: Database, row: StoredRow, field: string): string {
  const value = row[PATTERN_FIELDS.indexOf(field as (typeof PATTERN_FIELDS)[number]) + 1];
  if (typeof value === "string") return sqlText(value.slice(0, SHOWN));
  return database
    .prepare("SELECT quote(?)")
    .pluck()
    .get(Buffer.isBuffer(value) ? value.subarray(0, SHOWN) : value) as string;
}

/** Maximum length of a text or a blob that is shown. */
const SHOWN = 40;

/** True if version 16 reads the whole table unchanged. */
export function isReadable({ unusual }: PatternSurvey): boolean {
  return unusual.length === 0;
}
