import type { QueryResultRow } from "pg";
import type { Session } from "./connection.ts";

/** Rows that are in memory at a time. */
const ROWS_AT_ONCE = 2000;

/**
 * Reads the rows of a select in pieces. The caller holds a transaction, and does not call this again before the end.
 */
export async function* cursorRows<Row extends QueryResultRow>(
  session: Session,
  select: string,
): AsyncGenerator<Row, void> {
  await session.query(`DECLARE perdura_rows NO SCROLL CURSOR FOR ${select}`);
  for (;;) {
    const rows = await session.query<Row>(`FETCH ${ROWS_AT_ONCE} FROM perdura_rows`);
    yield* rows;
    if (rows.length < ROWS_AT_ONCE) break;
  }
  await session.query("CLOSE perdura_rows");
}
