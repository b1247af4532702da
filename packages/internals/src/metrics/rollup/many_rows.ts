import type { Database } from "../../sqlite/open_database.ts";
import { keepRollup, rollupHolds } from "./handover.ts";
import { ROLLUP_OBJECTS } from "./objects.ts";

const INSERT_TRIGGER = "perdura_rollup_insert";

/** From so many rows on, a seventh of the time of a transaction is more than two changes of the schema cost everybody. */
export const MANY_ROWS = 10_000;

/**
 * Takes the trigger that watches inserted rows away for the rest of a transaction. It looks for ids at or below the
 * watermark, and rows that give no id get a higher one. The caller holds the write transaction, inserts such rows, and
 * nothing else happens in it.
 *
 * @returns Puts the trigger back; undefined where it stays, or where there is none.
 */
export function pauseInsertTrigger(database: Database): (() => void) | undefined {
  // Triggers of a user may insert rows with any id.
  const others = database
    .prepare(
      "SELECT count(*) FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name = 'interactions' COLLATE NOCASE AND name NOT LIKE 'perdura!_rollup!_%' ESCAPE '!'",
    )
    .pluck();
  if (others.get() !== 0 || !rollupHolds(database)) return undefined;
  database.exec(`DROP TRIGGER main.${INSERT_TRIGGER}`);
  return () => {
    database.exec(ROLLUP_OBJECTS.get(INSERT_TRIGGER) as string);
    keepRollup(database);
  };
}
