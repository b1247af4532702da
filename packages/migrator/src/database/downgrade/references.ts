import { lacksCollation } from "@perdura/internals/sqlite/collations.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { agreeing, rowsText } from "../../core/rows_text.ts";
import { Stop } from "../../core/stop.ts";
import { tablesWithKeys } from "../objects/foreign_keys.ts";
import { type MetricsTable, renamedColumns } from "../layouts/metrics_table.ts";
import { repairedColumns } from "../patterns/repaired_values.ts";
import { QUARANTINE_TABLE } from "../record/quarantine.ts";
import type { DowngradePlan } from "./plan_downgrade.ts";

const BEFORE = "perdura_broken_before";

const AFTER = "perdura_broken_after";

/** Table of the ids that rows of the quarantine would have in `interactions`. */
const RETURNED = "perdura_returned";

/** The foreign keys of a database, and the tables that SQLite cannot check because of a malformed reference, or without the collation of a key. */
interface CheckedKeys {
  keys: readonly ForeignKey[];
  unclear: ReadonlySet<string>;
  /** True if patterns get ids back that version 16 refuses. */
  restoresIds: boolean;
}

/**
 * Records in temporary tables the state that {@link assertReferencesKept} compares with; they end with the transaction.
 */
export function recordReferences(database: Database, { quarantined, state, mergedRange }: DowngradePlan): CheckedKeys {
  database.exec(`CREATE TABLE temp.${RETURNED} (id)`);
  for (const { where, to, idOffset } of quarantined) {
    const offset = idOffset + (to === state.second ? (mergedRange?.idOffset ?? 0) : 0);
    database.exec(
      `INSERT INTO temp.${RETURNED} SELECT q.id + (${offset}) FROM main.${QUARANTINE_TABLE} AS q WHERE ${where("q")}`,
    );
  }
  const restoresIds = repairedColumns(database).includes("id");
  return { ...recordBroken(database, BEFORE, unchangedNames), restoresIds };
}

/**
 * Enforcement is off while tables change, so that nothing cascades; references that were valid before must be valid
 * afterwards. References that were already broken in version 16 may stay broken. So may those that return with rows of
 * the quarantine, or with a key that only the old table has: pre-16 programs stored these.
 *
 * @throws Stop that names a table whose rows would refer to other rows, or to none.
 */
export function assertReferencesKept(before: CheckedKeys, database: Database, plan: DowngradePlan): void {
  const after = recordBroken(database, AFTER, (table) => namesInVersion16(table, plan));
  const added = database
    .prepare(
      `SELECT child, key, count(*) AS rows FROM (${numbered(AFTER)} EXCEPT ${numbered(BEFORE)}) WHERE child <> 'interactions' OR "row" NOT IN (SELECT id FROM temp.${RETURNED}) GROUP BY 1, 2`,
    )
    .all() as { child: string; key: string; rows: number }[];
  for (const name of [BEFORE, AFTER, RETURNED]) database.exec(`DROP TABLE temp.${name}`);
  for (const { child, key, rows } of added) {
    const isNew = !before.keys.some((one) => one.child === child && one.key === key);
    // Ids return to the types by which the two tables disagreed before the migration.
    const isRetyped =
      plan.libraries.some(({ table }) => table.name === child && table.otherTypes.length > 0) ||
      (before.restoresIds && child === "pattern_usage");
    if (before.unclear.has(child) || isRetyped || (child === "interactions" && isNew)) continue;
    const broken = after.keys.find((one) => one.child === child && one.key === key);
    if (broken !== undefined) throw refersElsewhere(broken, rows, plan);
  }
}

/** Rows of a table without row ids cannot be identified: their references are counted. */
function numbered(table: string): string {
  return `SELECT child, "row", key, row_number() OVER (PARTITION BY child, "row", key) AS nth FROM temp.${table}`;
}

/** Common names of a table, its columns and its ids, for comparing two states of a database. */
interface CommonNames {
  child: string;
  /** Offset of its row ids. */
  offset: number;
  column: (name: string) => string;
}

function unchangedNames(table: string): CommonNames {
  return { child: table.toLowerCase(), offset: 0, column: (name) => name.toLowerCase() };
}

function namesInVersion16(table: string, { state: { metrics, second }, mergedRange }: DowngradePlan): CommonNames {
  const isNamed = (one: MetricsTable | null): one is MetricsTable => one?.name.toLowerCase() === table.toLowerCase();
  const old = [metrics, second].find(isNamed);
  if (old === undefined) return unchangedNames(table);
  const names = new Map(renamedColumns(old).map(({ name, to }) => [name.toLowerCase(), to]));
  return {
    child: "interactions",
    offset: old === second ? (mergedRange?.idOffset ?? 0) : 0,
    column: (name) => names.get(name.toLowerCase()) ?? name.toLowerCase(),
  };
}

function refersElsewhere(
  { table, parent }: ForeignKey,
  rows: number,
  { state: { metrics, second } }: DowngradePlan,
): Stop {
  const [what, refer] = [rowsText(rows), agreeing(rows, "refers", "refer")];
  const isMetrics = [metrics, second].some((one) => one?.name.toLowerCase() === parent.toLowerCase());
  return new Stop(
    "refused",
    isMetrics
      ? `${what} of the table ${table} ${refer} to interactions that the downgrade moves to another table, with other ids. Remove these references first.`
      : `${what} of the table ${table} ${refer} to rows of the table ${parent} that do not exist in the pre-16 layout. Remove these references first.`,
  );
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
 * Writes every broken reference into a temporary table (`child`, `row`, `key`); there can be as many as rows.
 *
 * @param into The name of that table, which is created.
 * @param namesOf The common names of a table.
 */
function recordBroken(
  database: Database,
  into: string,
  namesOf: (table: string) => CommonNames,
): Omit<CheckedKeys, "restoresIds"> {
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
      if (!lacksCollation(error) && !/foreign key mismatch/.test((error as Error).message)) throw error;
      unclear.add(child);
    }
  }
  return { keys, unclear };
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
