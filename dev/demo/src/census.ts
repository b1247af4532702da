import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import Database from "better-sqlite3";

/** Counts of a metrics database: per user, so that losses and additions cannot cancel out. */
export interface MetricsCensus {
  interactions: number;
  /** Exact text of the metadata, by the id of its row. */
  metadata: Map<number, string>;
  /**
   * Rows of each user, by the bytes of the id in hexadecimal: pre-16 programs accepted ids that are not valid Unicode.
   */
  operationsByUser: Map<string, number>;
}

/** SQL for the bytes of a user id. */
export const USER = "hex(CAST(user_id AS BLOB))";

/** Counts a pre-16 metrics database, with plain SQL independent of perdura. */
export function countBefore(path: string, table: string): MetricsCensus {
  const database = new Database(path, { readonly: true });
  try {
    const users = database.prepare(`SELECT ${USER} AS user, count(*) AS rows FROM ${table} GROUP BY 1`).all() as {
      user: string;
      rows: number;
    }[];
    const hasMetadata =
      database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = 'metadata'").get(table) !== undefined;
    const metadata = hasMetadata
      ? (database.prepare(`SELECT id, metadata FROM ${table} WHERE metadata IS NOT NULL`).raw().all() as [
          number,
          string,
        ][])
      : [];
    return {
      interactions: users.reduce((sum, { rows }) => sum + rows, 0),
      metadata: new Map(metadata),
      operationsByUser: new Map(users.map(({ user, rows }) => [user, rows])),
    };
  } finally {
    database.close();
  }
}

/** The SHA-256 of every file below a directory, by its name. */
export function fileDigests(directory: string): Map<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => statSync(join(directory, name)).isFile());
  return new Map(files.map((name) => [name, sha256(readFileSync(join(directory, name)))]));
}

/** The SHA-256 of every file in an SQLite Archive, unpacked here and not by the program that packed it. */
export function archiveDigests(archive: string): Map<string, string> {
  const database = new Database(archive, { readonly: true });
  try {
    const rows = database.prepare("SELECT name, sz, data FROM sqlar WHERE data IS NOT NULL").all() as {
      name: string;
      sz: number;
      data: Buffer;
    }[];
    return new Map(rows.map(({ name, sz, data }) => [name, sha256(data.length < sz ? inflateSync(data) : data)]));
  } finally {
    database.close();
  }
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
