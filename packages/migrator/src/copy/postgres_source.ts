import { FileNotFoundError } from "@perdura/internals/errors/errors.js";
import type { PostgresTables } from "@perdura/postgres/tables";
import { PostgresReader } from "./postgres_reader.ts";
import { encodingOf } from "./server_encoding.ts";
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
      await tables.begin(client, "read");
      await use(new PostgresReader(client, present, tables.place, await encodingOf(client)));
    } finally {
      client.release(true);
    }
  } finally {
    await tables.close();
  }
}
