import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { hasRowid, hasTable } from "@perdura/internals/sqlite/catalog.js";
import { columnsOfQuarantine, QUARANTINE_TABLE } from "../databases/quarantine_table.ts";
import { rowIdName } from "../databases/row_id.ts";
import { allOf, anyOf, sameValue, sqlName, sqlText } from "../databases/sql_text.ts";
import { columnsOfTable, PATTERN_TABLES, quarantineOf } from "../patterns/pattern_steps.ts";
import { nextNumber } from "../record/migration_record.ts";
import { holdsRepaired, REPAIRED_VALUES_TABLE } from "../record/side_tables.ts";
import { rowsAre } from "../core/rows_text.ts";
import { countUnequal } from "./count_unequal.ts";
import type { Subject } from "./subject.ts";

/** What a migration did to the rows of a table of patterns. */
export interface ChangedPatterns {
  /** SQL over the alias `l` of the backup that is true for rows that are to be as they were. */
  unchanged: string;
  /** Rows that went into the quarantine. */
  quarantined: number;
  /** Values that were repaired. */
  repaired: number;
  /** Rows in the quarantine, and repaired ones, that are not what they should be. */
  differences: string[];
}

/**
 * Proves the rows of a table of patterns that the migration changed: each is unchanged in the quarantine, or differs from
 * what it was in the recorded values only. Undefined where it changed none.
 *
 * @param table Its name as the backup has it.
 */
export function provePatterns({ database }: Subject, table: string): ChangedPatterns | undefined {
  const name = PATTERN_TABLES.find((known) => known === table.toLowerCase());
  if (name === undefined || !hasTable(database, name)) return undefined;
  const columns = columnsOfTable(database, name);
  const rowId = hasRowid(database, name) ? rowIdName(name, columns) : null;
  const aside = asideOf(database, name, columns, rowId);
  const number = nextNumber(database, "backup");
  const repairs = name === "patterns" && holdsRepaired(database) ? repairedBy(database, number) : 0;
  if (aside === undefined && repairs === 0) return undefined;
  const isRepaired = `l.id IN (SELECT pattern_id FROM main.${REPAIRED_VALUES_TABLE} WHERE number >= ${number})`;
  return {
    unchanged: allOf([
      ...(aside === undefined ? [] : [`NOT (${aside.isAside})`]),
      ...(repairs === 0 ? [] : [`l.id IS NULL OR NOT (${isRepaired})`]),
    ]),
    quarantined: aside?.rows ?? 0,
    repaired: repairs,
    differences: [
      ...(aside === undefined || aside.unequal === 0
        ? []
        : [`${rowsAre(aside.unequal, `of ${QUARANTINE_TABLE}`)} not as in ${name} before`]),
      ...(repairs === 0 ? [] : repairedDifferences(database, columns, isRepaired, aside?.isAside, number)),
    ],
  };
}

function repairedBy(database: Database, number: number): number {
  return database
    .prepare(`SELECT count(*) FROM main.${REPAIRED_VALUES_TABLE} WHERE number >= ?`)
    .pluck()
    .get(number) as number;
}

interface Aside {
  /** SQL over the alias `l` of the backup. */
  isAside: string;
  rows: number;
  unequal: number;
}

/** The rows that went into the quarantine since the backup; undefined where none did. */
function asideOf(
  database: Database,
  name: (typeof PATTERN_TABLES)[number],
  columns: readonly string[],
  rowId: string | null,
): Aside | undefined {
  const present = columnsOfQuarantine(database, "main");
  const { source, row } = quarantineOf(columns);
  const lower = new Set(present?.map((column) => column.toLowerCase()));
  if (present === undefined || ![source, row, ...columns].every((column) => lower.has(column.toLowerCase())))
    return undefined;
  const own = rowIdName(QUARANTINE_TABLE, present);
  const earlier =
    columnsOfQuarantine(database, "backup") === undefined
      ? "0"
      : `(SELECT ifnull(max(${own}), 0) FROM backup.${QUARANTINE_TABLE})`;
  const mine = (alias: string): string =>
    `${alias}.${sqlName(source)} = ${sqlText(name)} AND ${alias}.${own} > ${earlier}`;
  const [key, kept] = rowId === null ? [sqlName("id"), sqlName("id")] : [rowId, sqlName(row)];
  const { rows, unequal } = countUnequal(database, {
    left: { schema: "main", table: QUARANTINE_TABLE, columns },
    right: { schema: "backup", table: name, columns },
    keys: [[rowId === null ? "id" : row, rowId ?? "id"]],
    where: mine("l"),
  });
  if (rows === 0) return undefined;
  return {
    isAside: `l.${key} IN (SELECT q.${kept} FROM main.${QUARANTINE_TABLE} AS q WHERE ${mine("q")})`,
    rows,
    unequal,
  };
}

/** A repaired row is what it was, but for the values of which the original is recorded. */
function repairedDifferences(
  database: Database,
  columns: readonly string[],
  isRepaired: string,
  isAside: string | undefined,
  number: number,
): string[] {
  const isRecorded = (column: string): string =>
    `EXISTS (SELECT 1 FROM main.${REPAIRED_VALUES_TABLE} AS v WHERE v.number >= ${number} AND v.pattern_id = l.id AND v.column_name = ${sqlText(column.toLowerCase())} AND ${sameValue("v.original", `l.${sqlName(column)}`)} AND ${sameValue("v.repaired", `r.${sqlName(column)}`)})`;
  const differs = anyOf(
    columns.map((column) => {
      const [one, other] = [`l.${sqlName(column)}`, `r.${sqlName(column)}`];
      return `NOT (${sameValue(one, other)}) AND NOT ${isRecorded(column)}`;
    }),
  );
  const there = isAside === undefined ? "true" : `NOT (${isAside})`;
  const unequal = database
    .prepare(
      `SELECT count(*) FROM backup.patterns AS l LEFT JOIN main.patterns AS r ON r.id = l.id WHERE ${isRepaired} AND ${there} AND (r.id IS NULL OR ${differs})`,
    )
    .pluck()
    .get() as number;
  return unequal === 0 ? [] : [`${rowsAre(unequal, "of patterns")} not as before, beside what was repaired`];
}
