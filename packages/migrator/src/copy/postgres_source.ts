import { FileNotFoundError } from "@perdura/internals/errors/errors.js";
import type { PostgresTables } from "@perdura/postgres/tables";
import { PostgresReader } from "./postgres_reader.ts";
import type { Reader } from "./side.ts";

/** Reads the tables in PostgreSQL as they are at one moment, and closes them afterwards. */
export async function withPostgresSource(
  tables: PostgresTables,
  use: (reader: Reader) => Promise<void>,
): Promise<void> {
  try {
    const present = await tables.look();
    if (present === undefined)
      throw new FileNotFoundError(`${tables.place}: nothing was saved in this schema yet. Nothing was changed.`, {
        path: tables.place,
      });
    const client = await tables.connect();
    try {
      await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      await use(new PostgresReader(client, present, tables.place));
    } finally {
      client.release(true);
    }
  } finally {
    await tables.close();
  }
}
