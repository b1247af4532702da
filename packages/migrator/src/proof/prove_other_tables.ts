import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { QUARANTINE_TABLE } from "../databases/quarantine_table.ts";
import { rowIdName } from "../databases/row_id.ts";
import type { VerificationReport } from "../report/report.ts";
import { countAll, countUnequal } from "./count_unequal.ts";
import type { Subject } from "./subject.ts";

interface ListedTable {
  name: string;
  type: string;
  /** 1 for tables without row ids. */
  wr: 0 | 1;
}

/**
 * Tables that the migration has no business with are as they were, row by row. Tables of extensions have no rows of their
 * own; what lies under them is compared. Later on such tables live: then their changes are no difference.
 */
export function proveOtherTables(subject: Subject): {
  tables: VerificationReport["other_tables"];
  differences: string[];
} {
  const { database, before, later } = subject;
  const handled = [before?.name.toLowerCase(), before === null ? undefined : "interaction_metadata"];
  const listed = (
    database.prepare("SELECT name, type, wr FROM pragma_table_list WHERE schema = 'backup'").all() as ListedTable[]
  ).filter(
    ({ name, type }) =>
      (type === "table" || type === "shadow") && !name.startsWith("sqlite_") && !handled.includes(name.toLowerCase()),
  );
  const present = new Set(database.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main'").pluck().all());
  const differences: string[] = [];
  const tables = listed.map((table) => {
    const rows = countAll(database, "backup", table.name);
    // One that is gone is named by the proof of the schema.
    if (later && !present.has(table.name) && isLibrary(table.name)) differences.push(`the table ${table.name} is gone`);
    const unequal = present.has(table.name) ? compare(database, table) : rows;
    const after = present.has(table.name) ? countAll(database, "main", table.name) : 0;
    // To the quarantine of an earlier run rows are added.
    const grows = table.name.toLowerCase() === QUARANTINE_TABLE && after > rows;
    if (!later && (unequal > 0 || (after !== rows && !grows)))
      differences.push(`${unequal} rows of ${table.name} are not as they were; ${rows} rows before, ${after} after`);
    return { table: table.name, rows, changed_since: later ? unequal : 0 };
  });
  return { tables, differences };
}

/** No program takes these tables away; those of the user are the user's. */
function isLibrary(table: string): boolean {
  return table === "patterns" || table === "pattern_usage";
}

/** Rows of the backup that have no equal in the database. */
function compare(database: Database, table: ListedTable): number {
  const listed = database.prepare("SELECT name, pk FROM pragma_table_xinfo(?, 'backup')").all(table.name) as {
    name: string;
    pk: number;
  }[];
  const columns = listed.map(({ name }) => name);
  const now = database.prepare("SELECT name FROM pragma_table_xinfo(?, 'main')").pluck().all(table.name) as string[];
  const keys =
    table.wr === 1
      ? listed.filter(({ pk }) => pk > 0).map(({ name }) => name)
      : [rowIdName(table.name, [...columns, ...now])];
  const side = { table: table.name, columns };
  const { unequal } = countUnequal(database, {
    left: { ...side, schema: "backup" },
    right: { ...side, schema: "main" },
    keys: keys.map((key) => [key, key] as const),
  });
  return unequal;
}
