import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { isRollupTable } from "@perdura/internals/metrics/rollup/handover.js";
import { rowIdName } from "../databases/row_id.ts";
import { OWN_TABLES } from "../record/own_tables.ts";
import { KEPT_LEVELS_TABLE } from "../record/side_tables.ts";
import type { InPieces } from "../core/progress.ts";
import type { VerificationReport } from "../core/report.ts";
import { countUnequalInPieces } from "./count_in_pieces.ts";
import { provePatterns } from "./prove_patterns.ts";
import { type Comparison, countAll, countUnequal } from "./count_unequal.ts";
import type { Subject } from "./subject.ts";
import { rowsAre, rowsText } from "../core/rows_text.ts";

/** A table as `pragma_table_list` has it. */
export interface ListedTable {
  name: string;
  type: string;
  /** 1 for tables without row ids. */
  wr: 0 | 1;
}

/**
 * Tables that the migration has no business with are as they were, row by row. Tables of extensions have no rows of their
 * own; what lies under them is compared. Later on such tables live: then their changes are no difference.
 */
export function* proveOtherTables(subject: Subject): InPieces<{
  tables: VerificationReport["other_tables"];
  differences: string[];
}> {
  const { database, later, quick } = subject;
  const listed = otherTables(subject);
  const present = new Set(database.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main'").pluck().all());
  const differences: string[] = [];
  const tables: VerificationReport["other_tables"] = [];
  for (const table of listed) {
    const rows = countAll(database, "backup", table.name);
    // One that is gone is named by the proof of the schema.
    if (later && !present.has(table.name) && isLibrary(table.name)) differences.push(`the table ${table.name} is gone`);
    const changed = provePatterns(subject, table.name);
    const unequal = present.has(table.name) ? yield* unequalRows(database, table, quick, changed?.unchanged) : rows;
    const after = present.has(table.name) ? countAll(database, "main", table.name) : 0;
    // To what an earlier run left rows are added.
    const grows = OWN_TABLES.has(table.name.toLowerCase()) && after > rows;
    if (!later) differences.push(...(changed?.differences ?? []));
    const stay = rows - (changed?.quarantined ?? 0);
    if (!later && (unequal > 0 || (after !== stay && !grows)))
      differences.push(
        `${rowsAre(unequal, `of ${table.name}`)} not as before; ${rowsText(rows)} before, ${after} after`,
      );
    const { quarantined = 0, repaired = 0 } = changed ?? {};
    tables.push({ table: table.name, rows, quarantined, repaired, changed_since: later ? unequal : 0 });
  }
  return { tables, differences };
}

/** The tables of the backup, without those of the interactions. */
export function otherTables({ database, before, second }: Subject): ListedTable[] {
  const handled = [
    before?.name.toLowerCase(),
    second?.name.toLowerCase(),
    before === null ? undefined : "interaction_metadata",
    before?.level === null || second?.level === null ? KEPT_LEVELS_TABLE : undefined,
  ];
  return tablesOfBackup(database).filter(({ name }) => !handled.includes(name.toLowerCase()));
}

/** Every table of the backup that has rows of its own; those of the rollup only repeat what the interactions tell. */
export function tablesOfBackup(database: Database): ListedTable[] {
  const tables = database
    .prepare(
      `SELECT listed.name, listed.type, wr, sql FROM pragma_table_list AS listed LEFT JOIN backup.sqlite_schema AS made
       ON made.name = listed.name AND made.type = 'table' WHERE schema = 'backup'`,
    )
    .all() as (ListedTable & { sql: string | null })[];
  return tables.filter(
    ({ name, type, sql }) =>
      (type === "table" || type === "shadow") && !name.startsWith("sqlite_") && !isRollupTable(name, sql),
  );
}

/** No program takes these tables away; those of the user are the user's. */
function isLibrary(table: string): boolean {
  return table === "patterns" || table === "pattern_usage";
}

/**
 * How many rows of a table of the backup have no equal in the database.
 *
 * @param where Rows to look at; SQL over the alias `l` of the backup.
 */
export function* unequalRows(database: Database, table: ListedTable, quick = false, where?: string): InPieces<number> {
  const listed = database.prepare("SELECT name, pk FROM pragma_table_xinfo(?, 'backup')").all(table.name) as {
    name: string;
    pk: number;
  }[];
  const columns = listed.map(({ name }) => name);
  const now = database.prepare("SELECT name FROM pragma_table_xinfo(?, 'main')").pluck().all(table.name) as string[];
  const rowId = table.wr === 1 ? null : rowIdName(table.name, [...columns, ...now]);
  const keys = rowId === null ? listed.filter(({ pk }) => pk > 0).map(({ name }) => name) : [rowId];
  const side = { table: table.name, columns: quick ? keys : columns };
  const comparison: Comparison = {
    left: { ...side, schema: "backup" },
    right: { ...side, schema: "main" },
    keys: keys.map((key) => [key, key] as const),
    where,
  };
  const { unequal } =
    rowId === null ? countUnequal(database, comparison) : yield* countUnequalInPieces(database, comparison, rowId);
  return unequal;
}
