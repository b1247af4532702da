import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { agreeing, rowsText } from "../../core/rows_text.ts";
import { Stop } from "../../core/stop.ts";
import type { MetricsTable } from "../layouts/layout.ts";
import { QUARANTINE_TABLE } from "../record/quarantine.ts";
import type { Reversion } from "./reversion.ts";

const BEFORE = "perdura_broken_before";

const AFTER = "perdura_broken_after";

/** Ids that rows of the quarantine would have in `interactions`. */
const RETURNED = "perdura_returned";

/** The foreign keys of a database, and which tables SQLite cannot check, because a reference of theirs is malformed. */
interface CheckedKeys {
  keys: readonly ForeignKey[];
  unclear: ReadonlySet<string>;
}

/** Notes in temporary tables what {@link assertReferencesKept} compares with; they go with the transaction. */
export function noteReferences(database: Database, { shares, form, united }: Reversion): CheckedKeys {
  database.exec(`CREATE TABLE temp.${RETURNED} (id)`);
  for (const { where, to, idOffset } of shares) {
    const offset = idOffset + (to === form.second ? (united?.idOffset ?? 0) : 0);
    database.exec(
      `INSERT INTO temp.${RETURNED} SELECT q.id + (${offset}) FROM main.${QUARANTINE_TABLE} AS q WHERE ${where("q")}`,
    );
  }
  return noteBroken(database, BEFORE, asItIs);
}

/**
 * Enforcement is off while tables change, so that nothing cascades; what was whole before must be whole after. What held
 * nothing in version 16 holds nothing afterwards either, and that is no fault of the way back. Neither is what comes back
 * with rows of the quarantine, or with a key that only the old table has: programs of before 16 stored these.
 *
 * @throws Stop naming a table whose rows would refer to rows of another table, or to none.
 */
export function assertReferencesKept(before: CheckedKeys, database: Database, reversion: Reversion): void {
  const after = noteBroken(database, AFTER, (table) => asInVersion16(table, reversion));
  const added = database
    .prepare(
      `SELECT child, key, count(*) AS rows FROM (${numbered(AFTER)} EXCEPT ${numbered(BEFORE)}) WHERE child <> 'interactions' OR "row" NOT IN (SELECT id FROM temp.${RETURNED}) GROUP BY 1, 2`,
    )
    .all() as { child: string; key: string; rows: number }[];
  for (const name of [BEFORE, AFTER, RETURNED]) database.exec(`DROP TABLE temp.${name}`);
  for (const { child, key, rows } of added) {
    const isNew = !before.keys.some((one) => one.child === child && one.key === key);
    if (before.unclear.has(child) || (child === "interactions" && isNew)) continue;
    const broken = after.keys.find((one) => one.child === child && one.key === key);
    if (broken !== undefined) throw refersElsewhere(broken, rows, reversion);
  }
}

/** A table without row ids has none to tell its rows by: then the references are counted. */
function numbered(table: string): string {
  return `SELECT child, "row", key, row_number() OVER (PARTITION BY child, "row", key) AS nth FROM temp.${table}`;
}

/** What a table, its columns and its ids are called where two states of a database are compared. */
interface CommonNames {
  child: string;
  /** What is added to its row ids. */
  offset: number;
  column: (name: string) => string;
}

function asItIs(table: string): CommonNames {
  return { child: table.toLowerCase(), offset: 0, column: (name) => name.toLowerCase() };
}

function asInVersion16(table: string, { form: { metrics, second }, united }: Reversion): CommonNames {
  const isNamed = (one: MetricsTable | null): one is MetricsTable => one?.name.toLowerCase() === table.toLowerCase();
  const old = [metrics, second].find(isNamed);
  if (old === undefined) return asItIs(table);
  const level = old.level?.toLowerCase();
  return {
    child: "interactions",
    offset: old === second ? (united?.idOffset ?? 0) : 0,
    column: (name) => (name.toLowerCase() === level ? "level" : name.toLowerCase()),
  };
}

function refersElsewhere({ table, parent }: ForeignKey, rows: number, { form: { metrics, second } }: Reversion): Stop {
  const [what, refer] = [rowsText(rows), agreeing(rows, "refers", "refer")];
  const isMetrics = [metrics, second].some((one) => one?.name.toLowerCase() === parent.toLowerCase());
  return new Stop(
    "refused",
    isMetrics
      ? `${what} of the table ${table} ${refer} to interactions that go back into a table of their own, under other ids. Remove those references first.`
      : `${what} of the table ${table} ${refer} to the table ${parent}, in which the old layout has no such rows. Remove those references first.`,
  );
}

/** A foreign key of a table. */
interface ForeignKey {
  child: string;
  /** Its columns, in order. */
  key: string;
  /** The table as it is called in this state, and the one that it refers to. */
  table: string;
  parent: string;
}

/**
 * Puts every reference that holds nothing into a temporary table (`child`, `row`, `key`); there can be as many as rows.
 *
 * @param into The name of that table, which is made.
 * @param namesOf What a table is called in it.
 */
function noteBroken(database: Database, into: string, namesOf: (table: string) => CommonNames): CheckedKeys {
  database.exec(`CREATE TABLE temp.${into} (child, "row", key)`);
  const keys: ForeignKey[] = [];
  const unclear = new Set<string>();
  for (const table of tablesWithKeys(database)) {
    const { child, offset, column } = namesOf(table);
    const found = keysOf(database, table).map((key) => ({ ...key, key: key.columns.map(column).join() }));
    keys.push(...found.map(({ key, parent }) => ({ child, key, table, parent })));
    const named = JSON.stringify(found.map(({ id, key }) => [id, key]));
    try {
      database
        .prepare(
          `INSERT INTO temp.${into} SELECT ?, c.rowid + ?, k.value ->> 1 FROM pragma_foreign_key_check(?, 'main') AS c JOIN json_each(?) AS k ON k.value ->> 0 = c.fkid`,
        )
        .run(child, offset, table, named);
    } catch (error) {
      // oxlint-disable-next-line messages/no-decisions -- the words of SQLite, whose code is that of any error in SQL
      if (!/foreign key mismatch/.test((error as Error).message)) throw error;
      unclear.add(child);
    }
  }
  return { keys, unclear };
}

function tablesWithKeys(database: Database): string[] {
  return database
    .prepare(
      "SELECT name FROM main.sqlite_schema AS s WHERE type = 'table' AND EXISTS (SELECT 1 FROM pragma_foreign_key_list(s.name, 'main'))",
    )
    .pluck()
    .all() as string[];
}

function keysOf(database: Database, table: string): { id: number; columns: string[]; parent: string }[] {
  const rows = database
    .prepare(`SELECT id, "from", "table" AS parent FROM pragma_foreign_key_list(?, 'main') ORDER BY id, seq`)
    .all(table) as { id: number; from: string; parent: string }[];
  return [...Map.groupBy(rows, ({ id }) => id)].map(([id, pairs]) => ({
    id,
    columns: pairs.map(({ from }) => from),
    parent: pairs[0]?.parent ?? "",
  }));
}
