import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { agreeing, rowsText } from "../../core/rows_text.ts";
import { Stop } from "../../core/stop.ts";
import { type CheckedKeys, newlyBroken, type NewlyBroken, recordBroken } from "../objects/broken_references.ts";
import { repairedColumns } from "../patterns/repaired_values.ts";
import { QUARANTINE_TABLE } from "../record/quarantine.ts";
import type { DowngradePlan } from "./plan_downgrade.ts";

/** Table of the ids that rows of the quarantine would have in `interactions`. */
const RETURNED = "temp.perdura_returned";

/** The references of the database in version 16. */
interface References extends CheckedKeys {
  /** True if patterns get ids back that version 16 refuses. */
  restoresIds: boolean;
}

/**
 * Records in temporary tables the state that {@link assertReferencesKept} compares with; they end with the transaction.
 */
export function recordReferences(database: Database, { quarantined, state, mergedRange }: DowngradePlan): References {
  database.exec(`CREATE TABLE ${RETURNED} (id)`);
  for (const { where, to, idOffset } of quarantined) {
    const offset = idOffset + (to === state.second ? (mergedRange?.idOffset ?? 0) : 0);
    database.exec(
      `INSERT INTO ${RETURNED} SELECT q.id + (${offset}) FROM main.${QUARANTINE_TABLE} AS q WHERE ${where("q")}`,
    );
  }
  return { ...recordBroken(database, "before"), restoresIds: repairedColumns(database).includes("id") };
}

/**
 * References may be broken that return with rows of the quarantine, or with a key that only the old table has: pre-16
 * programs stored these.
 *
 * @throws Stop that names a table whose rows would refer to other rows, or to none.
 */
export function assertReferencesKept(before: References, database: Database, plan: DowngradePlan): void {
  const { state, mergedRange, libraries } = plan;
  const after = recordBroken(database, "after", { ...state, idOffset: mergedRange?.idOffset ?? 0 });
  const returned = `child = 'interactions' AND "row" IN (SELECT id FROM ${RETURNED})`;
  const found = newlyBroken(database, before, after, returned).find(({ child, isNew }) => {
    // Ids return to the types by which the two tables disagreed before the migration.
    const isRetyped =
      libraries.some(({ table }) => table.name === child && table.otherTypes.length > 0) ||
      (before.restoresIds && child === "pattern_usage");
    return !isRetyped && !(child === "interactions" && isNew);
  });
  database.exec(`DROP TABLE ${RETURNED}`);
  if (found !== undefined) throw refersElsewhere(found, plan);
}

function refersElsewhere({ table, parent, rows }: NewlyBroken, { state: { metrics, second } }: DowngradePlan): Stop {
  const [what, refer] = [rowsText(rows), agreeing(rows, "refers", "refer")];
  const isMetrics = [metrics, second].some((one) => one?.name.toLowerCase() === parent.toLowerCase());
  return new Stop(
    "refused",
    isMetrics
      ? `${what} of the table ${table} ${refer} to interactions that the downgrade moves to another table, with other ids. Remove these references first.`
      : `${what} of the table ${table} ${refer} to rows of the table ${parent} that do not exist in the pre-16 layout. Remove these references first.`,
  );
}
