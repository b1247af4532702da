import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { InPieces } from "../pieces.ts";
import type { VerificationReport } from "../report/report.ts";
import { countAll } from "./count_unequal.ts";
import { proveLevels } from "./prove_levels.ts";
import { proveMetadata } from "./prove_metadata.ts";
import { proveMetrics } from "./prove_metrics.ts";
import { proveOtherTables } from "./prove_other_tables.ts";
import { proveSchema } from "./prove_schema.ts";
import { type Source, sourcesOf } from "./sources.ts";
import type { Subject } from "./subject.ts";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { countText } from "@perdura/cli/quantities.js";
import { printable } from "@perdura/internals/text/describe.js";
import { surveyPatterns } from "../patterns/survey_patterns.ts";
import { readCatalog } from "../recognise/catalog.ts";
import { KNOWN_TABLES } from "../recognise/layout.ts";
import { holdsPatterns } from "../recognise/layouts/patterns.ts";
import { agreeing, rowsText } from "../report/rows_text.ts";

/** Compares a migrated database with the copy as it was. `up` does it inside its transaction, before the commit. */
export function* proveDatabase(subject: Subject): InPieces<VerificationReport> {
  const sources = sourcesOf(subject);
  const metrics = yield* forEach(sources, (source) => proveMetrics(subject, source));
  const metadata = yield* forEach(sources, (source) => proveMetadata(subject, source));
  const rowsAfter = sum(metrics.map((proof) => proof.rowsAfter));
  const others = yield* proveOtherTables(subject);
  return {
    method: subject.quick === true ? "quick" : "rows",
    rows_before: sources.length === 0 ? null : sum(metrics.map(({ rowsBefore }) => rowsBefore)),
    rows_after: sources.length === 0 ? null : rowsAfter,
    rows_quarantined: sum(metrics.map(({ rowsQuarantined }) => rowsQuarantined)),
    metadata_rows: sum(metadata.map(({ rows }) => rows)),
    rows_added_since:
      subject.later && sources.length > 0 ? countAll(subject.database, "main", "interactions") - rowsAfter : 0,
    other_tables: others.tables,
    differences: [
      ...metrics.flatMap(({ differences }) => differences),
      ...sources.flatMap(({ table, idOffset }) => proveLevels(subject, table, idOffset)),
      ...metadata.flatMap(({ differences }) => differences),
      ...strangers(subject, sources, rowsAfter, sum(metadata.map(({ kept }) => kept))),
      ...others.differences,
      ...(yield* unreadablePatterns(subject.database)),
      ...proveSchema(subject),
    ],
  };
}

/** Reads every pattern as version 16 does. */
export function* unreadablePatterns(database: Database): InPieces<string[]> {
  if (!holdsPatterns(readCatalog(database, KNOWN_TABLES))) return [];
  const { missing, odd } = yield* surveyPatterns(database, { nonFinite: null, timestamps: null });
  return [
    ...missing.map((column) => `version 16 cannot read the table patterns: it has no column ${column}`),
    ...odd.map(
      ({ rows, description, row_ids: ids }) =>
        `version 16 cannot read ${countText(rows, "pattern")}: ${description} (${ids.map(printable).join(", ")}${rows > ids.length ? ", …" : ""})`,
    ),
  ];
}

function* forEach<Item, Result>(items: readonly Item[], work: (item: Item) => InPieces<Result>): InPieces<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(yield* work(item));
  return results;
}

/** Each table is looked for in a range of ids of its own; where there are two, nothing may stand outside of both. */
function strangers({ database, later }: Subject, sources: readonly Source[], rows: number, metadata: number): string[] {
  if (later || sources.length < 2) return [];
  return [
    ...stranger(countAll(database, "main", "interactions") - rows, "interactions"),
    ...(hasTable(database, "interaction_metadata")
      ? stranger(countAll(database, "main", "interaction_metadata") - metadata, "interaction_metadata")
      : []),
  ];
}

function stranger(rows: number, table: string): string[] {
  return rows === 0 ? [] : [`${rowsText(rows)} of ${table} ${agreeing(rows, "was", "were")} in neither table before`];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
