import type { Session } from "../connection/connection.ts";
import { type Names, quoteText } from "./names.ts";

/** Waits until no other program creates or changes the tables, and excludes them until the end of the transaction. */
export async function lockSetUp(session: Session, names: Names): Promise<void> {
  await session.query(`SELECT pg_advisory_xact_lock(hashtextextended(${quoteText(`perdura ${names.schema}`)}, 0))`);
}
