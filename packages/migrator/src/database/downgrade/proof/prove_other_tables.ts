import { hasRowid, hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { InPieces } from "../../../core/progress.ts";
import type { VerificationReport } from "../../../core/report.ts";
import { rowsAre, rowsText } from "../../../core/rows_text.ts";
import { schemaEntries, type SchemaEntry } from "../../sql/catalog.ts";
import { countAll, countUnequal, rowsDiffer } from "../../proof/comparison.ts";
import { tablesOfBackup, unequalRows } from "../../proof/prove_other_tables.ts";
import { formerIdOfUsage } from "../../patterns/assigned_ids.ts";
import { columnsOfTable } from "../../patterns/pattern_steps.ts";
import { columnsOfQuarantine, QUARANTINE_TABLE } from "../../record/quarantine.ts";
import { REPAIRED_VALUES_TABLE } from "../../record/side_tables.ts";
import { countersIn } from "../../record/snapshot.ts";
import { integerKey, rowIdName } from "../../sql/row_id.ts";
import { allOf, sameValue } from "../../sql/sql_text.ts";
import { type Counter, rowsOf } from "../counters.ts";
import { handledTables } from "../former_state.ts";
import { patternValueBefore } from "../pattern_columns.ts";
import { isStillRepaired, type QuarantinedPatterns, repairedColumns } from "../quarantined_patterns.ts";
import { stayingCondition } from "../quarantined_rows.ts";
import type { DowngradePlan } from "../plan_downgrade.ts";

/**
 * Proves that tables that do not concern the downgrade are unchanged, row by row, except for those that the user's
 * triggers write; some time later programs may have changed them.
 */
export function* proveOthers(
  database: Database,
  plan: DowngradePlan,
  later: boolean,
): InPieces<{ tables: VerificationReport["other_tables"]; differences: string[] }> {
  const handled = handledTables(plan.state);
  const present = new Set(database.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main'").pluck().all());
  const differences = later ? [] : proveStaying(database, plan);
  const tables: VerificationReport["other_tables"] = [];
  for (const table of tablesOfBackup(database).filter(({ name }) => !handled.has(name.toLowerCase()))) {
    const { name } = table;
    const rows = countAll(database, "backup", name);
    const restored = proveRestored(database, name, plan.patterns);
    const columns = {
      compared: (column: string) => valueBefore(database, plan, name, column),
      without: plan.libraries.flatMap(({ table: library }) =>
        library.name === name.toLowerCase() ? library.missing.map((column) => column.name) : [],
      ),
    };
    const unequal = present.has(name) ? yield* unequalRows(database, table, restored.unchanged, columns) : rows;
    const after = present.has(name) ? countAll(database, "main", name) : 0;
    const isWritten = plan.written.has(name.toLowerCase());
    if (!later) differences.push(...restored.differences);
    if (!later && !isWritten && (unequal > 0 || after !== rows + restored.returned))
      differences.push(`${rowsDiffer(unequal, name)}; ${rowsText(rows)} before, ${after} after`);
    tables.push({ table: name, rows, quarantined: 0, repaired: 0, changed_since: later || isWritten ? unequal : 0 });
  }
  return { tables, differences };
}

/** The value of a column before the migration; undefined if it is the same. SQL over the alias `l` of the copy. */
function valueBefore(
  database: Database,
  { libraries }: DowngradePlan,
  table: string,
  column: string,
): string | undefined {
  if (table.toLowerCase() !== "pattern_usage" || column.toLowerCase() !== "pattern_id" || !wasRepaired(database))
    return patternValueBefore(database, libraries, "backup", table, column, "l");
  const value = `l.${sqlName(column)}`;
  return `ifnull(${formerIdOfUsage(database, "backup", value)}, ${value})`;
}

/** Proves that rows of the quarantine that have no place in the old layout are still in it. */
function proveStaying(database: Database, { quarantined: shares, patterns }: DowngradePlan): string[] {
  const columns = columnsOfQuarantine(database, "backup");
  if (columns === undefined) return [];
  const where = stayingCondition([...shares, ...patterns], "l");
  const before = database
    .prepare(`SELECT count(*) FROM backup.${QUARANTINE_TABLE} AS l WHERE ${where}`)
    .pluck()
    .get() as number;
  if (before === 0) return [];
  if (columnsOfQuarantine(database, "main") === undefined)
    return [`${rowsAre(before, `of ${QUARANTINE_TABLE}`)} missing`];
  const rowId = rowIdName(QUARANTINE_TABLE, columns);
  const { unequal } = countUnequal(database, {
    left: { schema: "backup", table: QUARANTINE_TABLE, columns },
    right: { schema: "main", table: QUARANTINE_TABLE, columns },
    keys: [[rowId, rowId]],
    where,
  });
  return unequal === 0 ? [] : [rowsDiffer(unequal, QUARANTINE_TABLE)];
}

/** Effect of the downgrade on the rows of a table of patterns. */
interface RestoredPatterns {
  /** SQL over the alias `l` of the copy that is true for rows without a restored value. */
  unchanged: string;
  /** Number of rows that returned from the quarantine. */
  returned: number;
  differences: string[];
}

/** Proves the restored rows and original values of a table of patterns. */
function proveRestored(database: Database, table: string, shares: readonly QuarantinedPatterns[]): RestoredPatterns {
  const share = shares.find((each) => each.table === table.toLowerCase());
  const unequal = share === undefined ? 0 : unequalReturned(database, share);
  const columns =
    table.toLowerCase() === "patterns" && wasRepaired(database) ? repairedColumns(database, "backup") : [];
  const restored = columns.map((column) => ({ column, is: isRestored(column, "l") }));
  const wrong = restored.reduce((sum, { column, is }) => sum + unequalRestored(database, column, is), 0);
  return {
    unchanged: restored.length === 0 ? "true" : `NOT (${restored.map(({ is }) => is).join(" OR ")})`,
    returned: share?.rows ?? 0,
    differences: [
      ...(unequal === 0 ? [] : [rowsDiffer(unequal, table, QUARANTINE_TABLE)]),
      ...(wrong === 0 ? [] : [rowsDiffer(wrong, table, REPAIRED_VALUES_TABLE)]),
    ],
  };
}

const wasRepaired = (database: Database): boolean => hasTable(database, REPAIRED_VALUES_TABLE, "backup");

function isRestored(column: string, alias: string): string {
  return `EXISTS (SELECT 1 FROM backup.${REPAIRED_VALUES_TABLE} AS v WHERE ${isStillRepaired(column, alias)})`;
}

/** A row whose row id was taken has a new one, so it is found by its values. */
function unequalReturned(database: Database, { table, columns, where }: QuarantinedPatterns): number {
  const key = integerKey(database, table);
  const held = columns.filter((column) => column !== key);
  const equal = allOf(held.map((column) => sameValue(`r.${sqlName(column)}`, `l.${sqlName(column)}`)));
  const found = sqlName(table === "patterns" ? "id" : "pattern_id");
  return database
    .prepare(
      `SELECT count(*) FROM backup.${QUARANTINE_TABLE} AS l WHERE ${where("l")} AND NOT EXISTS (SELECT 1 FROM main.${table} AS r WHERE r.${found} IS l.${found} AND ${equal})`,
    )
    .pluck()
    .get() as number;
}

function unequalRestored(database: Database, column: string, where: string): number {
  const name = sqlName(column);
  const originalOf = (of: string): string =>
    `(SELECT v.original FROM backup.${REPAIRED_VALUES_TABLE} AS v WHERE ${isStillRepaired(of, "l")} ORDER BY v.number LIMIT 1)`;
  const rowId = hasRowid(database, "patterns") ? rowIdName("patterns", columnsOfTable(database, "patterns")) : null;
  const [key, value] = rowId === null ? ["id", `ifnull(${originalOf("id")}, l.id)`] : [rowId, `l.${rowId}`];
  return database
    .prepare(
      `SELECT count(*) FROM backup.patterns AS l LEFT JOIN main.patterns AS r ON r.${key} = ${value} WHERE ${where} AND (r.${key} IS NULL OR NOT ${sameValue(`r.${name}`, originalOf(column))})`,
    )
    .pluck()
    .get() as number;
}

/**
 * Proves that the tables and objects of the old layout exist with their former text, and that all objects of the user
 * do.
 */
export function proveSchema(database: Database, plan: DowngradePlan): string[] {
  const { state, objects: changes } = plan;
  const now = schemaEntries(database);
  const tables = [state.metrics, state.second].flatMap((table) => (table === null ? [] : [table.name]));
  const wanted = [
    ...changes.restore,
    ...state.former.objects.filter(({ type, name }) => type === "table" && state.rebuilds && tables.includes(name)),
  ];
  return [
    ...wanted
      .filter((entry) => !isRestoredObject(now, entry))
      .map(({ type, name }) => `the ${type} ${name} differs from the original`),
    ...missing(now, schemaEntries(database, "backup"), state, changes),
    ...wrongCounters(database, plan),
  ];
}

function isRestoredObject(now: readonly SchemaEntry[], { type, name, sql }: SchemaEntry): boolean {
  const found = now.find((entry) => entry.type === type && entry.name === name);
  // Text with invalid UTF-8 cannot be restored verbatim, but its meaning is.
  return found !== undefined && (found.sql === sql || sql?.includes("\ufffd") === true);
}

function missing(
  now: readonly SchemaEntry[],
  before: readonly SchemaEntry[],
  state: DowngradePlan["state"],
  { remove }: DowngradePlan["objects"],
): string[] {
  const present = new Set(now.map(({ type, name }) => `${type} ${name}`));
  const gone = new Set(remove.map(({ type, name }) => `${type} ${name}`));
  const handled = handledTables(state);
  return before
    .filter(({ type, name }) => !(type === "table" && handled.has(name.toLowerCase())) && !name.startsWith("sqlite_"))
    .map(({ type, name }) => `${type} ${name}`)
    .filter((key) => !gone.has(key) && !present.has(key))
    .map((key) => `the ${key} is missing`);
}

/**
 * Proves that no id is given twice: the counters of other tables are unchanged, ours are as planned and not below any
 * id.
 */
function wrongCounters(database: Database, { state, counters, written }: DowngradePlan): string[] {
  const counts = (schema: string): boolean =>
    database.prepare(`SELECT 1 FROM ${schema}.sqlite_schema WHERE name = 'sqlite_sequence'`).get() !== undefined;
  if (!counts("main") || !counts("backup")) return [];
  const tables = [state.metrics, state.second].flatMap((table) => (table === null ? [] : [table.name]));
  const ours = ["interactions", ...tables.map((table) => table.toLowerCase()), ...written];
  const moved = database
    .prepare(
      "SELECT b.name FROM backup.sqlite_sequence AS b WHERE NOT EXISTS (SELECT 1 FROM main.sqlite_sequence AS m WHERE m.name = b.name AND m.seq IS b.seq AND typeof(m.seq) = typeof(b.seq))",
    )
    .pluck()
    .all() as string[];
  const now = countersIn(database);
  const wrong = tables.filter(
    (table) => !isRestoredCounter(database, table, rowsOf(now, table), rowsOf(counters, table)),
  );
  return [...moved.filter((name) => !ours.includes(name.toLowerCase())), ...wrong].map(
    (table) => `the row id counter of ${table} is wrong`,
  );
}

function isRestoredCounter(
  database: Database,
  table: string,
  now: readonly { seq: string }[],
  counters: readonly Counter[],
): boolean {
  if (now.length !== counters.length) return false;
  return counters.every(({ value, above }, index) => {
    if (above === null) return now[index]?.seq === value;
    const behind = database
      .prepare(
        `SELECT seq < (SELECT max(id) FROM main.${sqlName(table)}) FROM main.sqlite_sequence WHERE name = ? COLLATE NOCASE ORDER BY rowid`,
      )
      .pluck()
      .get(table);
    return behind !== 1;
  });
}
