import type { QueryResultRow } from "pg";
import type { Session } from "./connection.ts";

/** Rows that are in memory at a time. */
const ROWS_AT_ONCE = 2000;

/** The rows of a select, some at a time; the caller holds a transaction, and asks for nothing else of this kind meanwhile. */
export async function* rowsInTurn<Row extends QueryResultRow>(
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
