import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import type { Session } from "../connection/connection.ts";
import { LEFT_OUT } from "../connection/failures.ts";
import type { Names } from "./names.ts";

/**
 * A function that fails, for statements whose rows a trigger of another program left out: PostgreSQL reports no error if
 * a trigger returns NULL. The statement is rolled back by that, also one that is a transaction of its own.
 */
export function leftOutFunction(names: Names): string {
  return `CREATE OR REPLACE FUNCTION ${names.leftOut}(relation text) RETURNS bigint LANGUAGE plpgsql AS ${sqlText(`
    BEGIN
      RAISE EXCEPTION 'a trigger on the table % left out a row', relation USING ERRCODE = ${sqlText(LEFT_OUT)}, TABLE = relation;
    END`)}`;
}

/** SQL for the triggers that can leave out rows of a table that a statement inserts, updates or deletes. */
export function leavingOut(table: string): string {
  // Triggers for each row (1) that run before it is changed (2). Partitions have triggers of their own.
  return `SELECT 1 FROM pg_trigger WHERE NOT tgisinternal AND tgtype & 3 = 3 AND tgname NOT LIKE 'perdura\\_%'
       AND (tgrelid = ${table}::regclass OR tgrelid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = ${table}::regclass)) LIMIT 1`;
}

/** True if a trigger can leave out rows of a table that a statement inserts, updates or deletes. */
export async function mayLeaveOut(session: Session, table: string): Promise<boolean> {
  return (await session.query(leavingOut("$1"), [table])).length > 0;
}
