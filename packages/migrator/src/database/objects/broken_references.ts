import { lacksCollation } from "@perdura/internals/sqlite/collations.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { type MetricsTable, renamedColumns } from "../layouts/metrics_table.ts";
import { tablesWithKeys } from "./foreign_keys.ts";

/** Two states of a database: that before a change, and the present one. */
type State = "before" | "after";

const tableOf = (state: State): string => `temp.perdura_broken_${state}`;

/** The tables of a migration: those of the old layout, and the offset of the ids of rows that were merged. */
export interface OldTables {
  metrics: MetricsTable | null;
  second: MetricsTable | null;
  idOffset: number;
}

/** The foreign keys of a database, and the tables that SQLite cannot check because of a malformed reference, or without the collation of a key. */
export interface CheckedKeys {
  keys: readonly ForeignKey[];
  unclear: ReadonlySet<string>;
}

/** A foreign key of a table. */
interface ForeignKey {
  child: string;
  /** Its columns, in order. */
  key: string;
  /** The table's name in this state, and the table that it refers to. */
  table: string;
  parent: string;
}

/**
 * Records every broken reference of a state in a temporary table, which ends with the transaction; there can be as many
 * as rows.
 *
 * @param old The tables of the old layout, if this state has them: then tables, columns and ids get their names of
 *   version 16, by which the two states are compared.
 */
export function recordBroken(database: Database, state: State, old?: OldTables): CheckedKeys {
  const into = tableOf(state);
  database.exec(`CREATE TABLE ${into} (child, "row", key)`);
  const keys: ForeignKey[] = [];
  const unclear = new Set<string>();
  for (const table of tablesWithKeys(database)) {
    const { child, offset, column } = namesIn16(table, old);
    const found = keysOf(database, table).map((key) => ({ ...key, key: key.columns.map(column).join() }));
    keys.push(...found.map(({ key, parent }) => ({ child, key, table, parent })));
    const named = JSON.stringify(found.map(({ id, key }) => [id, key]));
    try {
      database
        .prepare(
          `INSERT INTO ${into} SELECT ?, c.rowid + ?, k.value ->> 1 FROM pragma_foreign_key_check(?, 'main') AS c JOIN json_each(?) AS k ON k.value ->> 0 = c.fkid`,
        )
        .run(child, offset, table, named);
    } catch (error) {
      // oxlint-disable-next-line messages/no-decisions -- the words of SQLite, whose code is that of any error in SQL
      if (!lacksCollation(error) && !/foreign key mismatch/.test((error as Error).message)) throw error;
      unclear.add(child);
    }
  }
  return { keys, unclear };
}

/** A foreign key with references that are broken now and were not before, and the number of their rows. */
export interface NewlyBroken extends ForeignKey {
  rows: number;
  /** True if the state before did not have the key. */
  isNew: boolean;
}

/**
 * Compares the two states. Enforcement is off while tables change, so that nothing cascades; references that were valid
 * before must be valid afterwards. References that were already broken may stay broken.
 *
 * @param except SQL that is true for rows that do not count: over `child`, and the row id `"row"`.
 */
export function newlyBroken(
  database: Database,
  before: CheckedKeys,
  after: CheckedKeys,
  except = "false",
): NewlyBroken[] {
  const added = database
    .prepare(
      `SELECT child, key, count(*) AS rows FROM (${numbered("after")} EXCEPT ${numbered("before")}) WHERE NOT (${except}) GROUP BY 1, 2`,
    )
    .all() as { child: string; key: string; rows: number }[];
  for (const state of ["before", "after"] as const) database.exec(`DROP TABLE ${tableOf(state)}`);
  return added.flatMap(({ child, key, rows }) => {
    const isSame = (one: ForeignKey): boolean => one.child === child && one.key === key;
    const broken = after.keys.find(isSame);
    if (broken === undefined || before.unclear.has(child)) return [];
    return [{ ...broken, rows, isNew: !before.keys.some(isSame) }];
  });
}

/** Rows of a table without row ids cannot be identified: their references are counted. */
function numbered(state: State): string {
  return `SELECT child, "row", key, row_number() OVER (PARTITION BY child, "row", key) AS nth FROM ${tableOf(state)}`;
}

/** Names of a table, its columns and its ids in version 16. */
interface CommonNames {
  child: string;
  /** Offset of its row ids. */
  offset: number;
  column: (name: string) => string;
}

function namesIn16(table: string, old: OldTables | undefined): CommonNames {
  const isNamed = (one: MetricsTable | null): one is MetricsTable => one?.name.toLowerCase() === table.toLowerCase();
  const found = old === undefined ? undefined : [old.metrics, old.second].find(isNamed);
  if (old === undefined || found === undefined)
    return { child: table.toLowerCase(), offset: 0, column: (name) => name.toLowerCase() };
  const names = new Map(renamedColumns(found).map(({ name, to }) => [name.toLowerCase(), to]));
  return {
    child: "interactions",
    offset: found === old.second ? old.idOffset : 0,
    column: (name) => names.get(name.toLowerCase()) ?? name.toLowerCase(),
  };
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
