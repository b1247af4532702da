import { hasRowid, tableNames } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { columnsOfTable, schemaEntries } from "../sql/catalog.ts";
import { changeRows, firedTriggers, isOurs, type RowChange, triggerFails } from "../steps/fired_triggers.ts";
import { errorOf } from "../sql/error_of.ts";
import { ignoringChecks } from "../sql/ignoring_checks.ts";
import { rowIdName } from "../sql/row_id.ts";
import { suspendTriggers, withoutTriggers } from "../sql/schema_text.ts";
import { mentions, sqlNames } from "../sql/sql_text.ts";
import type { Trigger } from "../sql/triggers.ts";
import { fullTextOver } from "../sql/virtual_tables.ts";

/** Maximum number of rows of a change that are copied into a replica. */
const SAMPLE = 20;

/** Maximum number of rows of a table that triggers read. A larger one stays empty. */
const READ = 1000;

/**
 * Compiles the user's triggers that steps fire: SQLite may lack a function, a module or a table of theirs.
 *
 * @throws Stop that names a trigger that cannot be compiled.
 */
export function assertTriggersCompile(replica: Database, changes: readonly RowChange[]): void {
  for (const change of changes) {
    const { fired, silent } = firedTriggers(schemaEntries(replica), [change]);
    if (fired.length === 0) continue;
    const all = [...fired, ...silent];
    if (faultOfWriting(replica, change, silent) === undefined) continue;
    for (const trigger of fired) {
      const others = all.filter((other) => other !== trigger);
      const fault = faultOfWriting(replica, change, others);
      if (fault !== undefined) throw triggerFails([trigger], fault);
    }
  }
}

/** SQLite's message about a kind of writing without some triggers; undefined if it can be compiled. */
export function faultOfWriting(replica: Database, change: RowChange, without: readonly Trigger[]): string | undefined {
  let fault: string | undefined;
  suspendTriggers(replica, without, () => {
    fault = errorOf(() => replica.prepare(`EXPLAIN ${statementOf(replica, change)}`))?.message;
  });
  return fault;
}

function statementOf(replica: Database, { table, kind }: RowChange): string {
  const target = `main.${sqlName(table)}`;
  if (kind === "insert") return `INSERT INTO ${target} DEFAULT VALUES`;
  if (kind === "delete") return `DELETE FROM ${target}`;
  const set = columnsOfTable(replica, table).map((column) => `${sqlName(column)} = ${sqlName(column)}`);
  return `UPDATE ${target} SET ${set.join(", ")}`;
}

/**
 * Copies some of the rows that steps change into a replica, and small tables that the user's triggers read, so that the
 * triggers fire in the replica as they would in the database. Values pass through JavaScript: they are good enough for a
 * forecast.
 */
export function copySamples(database: Database, replica: Database, changes: readonly RowChange[]): void {
  const entries = schemaEntries(replica);
  const { fired } = firedTriggers(entries, changes);
  if (fired.length === 0) return;
  const present = tableNames(replica).ordinary;
  ignoringChecks(replica, () => {
    for (const table of present.filter((name) => !isOurs(name.toLowerCase())))
      if (fired.some(({ sql }) => mentions(sql, [table]))) copyRows(database, replica, table, "true", READ, false);
    for (const { table, where } of changes)
      if (where !== undefined && present.some((name) => name.toLowerCase() === table.toLowerCase()))
        copyRows(database, replica, table, where, SAMPLE, true);
  });
}

/** @param fires True to fire the triggers, which fill the tables that they maintain. */
function copyRows(
  database: Database,
  replica: Database,
  table: string,
  where: string,
  most: number,
  fires: boolean,
): void {
  const columns = columnsOfTable(replica, table);
  const rowId = hasRowid(replica, table) ? [rowIdName(table, columns)] : [];
  const names = sqlNames([...columns, ...rowId]);
  const rows = database
    .prepare(`SELECT ${names} FROM main.${sqlName(table)} WHERE ${where} LIMIT ${most + 1}`)
    .raw()
    .safeIntegers()
    .all() as unknown[][];
  if (rows.length > most && !fires) return;
  const add = (): void => {
    const insert = replica.prepare(
      `INSERT OR IGNORE INTO main.${sqlName(table)} (${names}) VALUES (${names
        .split(", ")
        .map(() => "?")
        .join(", ")})`,
    );
    for (const row of rows.slice(0, most)) insert.run(...row);
  };
  // A transaction, because a failure would leave the triggers out that do not fire.
  if (fires && errorOf(replica.transaction(() => changeRows(replica, [table], add))) === undefined) return;
  withoutTriggers(replica, [table], () => void errorOf(add));
  for (const { name } of fullTextOver(schemaEntries(replica), table))
    errorOf(() => replica.exec(`INSERT INTO main.${sqlName(name)}(${sqlName(name)}) VALUES ('rebuild')`));
}
