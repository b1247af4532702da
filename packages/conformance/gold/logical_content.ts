import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openCopy } from "../src/inspect/database_copy.ts";

/** Columns that hold the moment of writing, where the writer has no clock that could be set. */
const MOMENTS: readonly string[] = ["patterns.updated_at"];
/** The same for writers that are reached through the protocol. */
const MOMENTS_OF_ADAPTERS: readonly string[] = [...MOMENTS, "interactions.timestamp"];

/**
 * What a gold file says, as text, so that two writings can be compared: the bytes of a database hold the version of the
 * SQLite that wrote it, and the moment. Other files are compared as they are.
 * @param clock false where times are those of the writing.
 */
export function logicalContent(path: string, clock: boolean): string {
  if (!path.endsWith(".db")) return timeless(readFileSync(path, "utf8"), clock);
  const scratch = mkdtempSync(join(tmpdir(), "perdura-gold-"));
  const database = openCopy(path, scratch);
  try {
    const objects = database.rows("SELECT type, name, sql FROM sqlite_schema ORDER BY name");
    const settings = ["page_size", "encoding", "user_version"].map((name) => database.rows(`PRAGMA ${name}`));
    const tables = objects.filter(({ type }) => type === "table").map(({ name }) => String(name));
    const rows = tables.map((table) => {
      const moments = (clock ? MOMENTS : MOMENTS_OF_ADAPTERS).filter((column) => column.startsWith(`${table}.`));
      const hidden = moments.map((column) => column.slice(table.length + 1));
      return database
        .rows(`SELECT * FROM "${table}"`)
        .map((row) => ({ ...row, ...Object.fromEntries(hidden.map((column) => [column, "some moment"])) }));
    });
    return JSON.stringify({ objects, settings, rows }, null, 1);
  } finally {
    database.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

function timeless(text: string, clock: boolean): string {
  return clock ? text : text.replace(/("saved_at": ?)"[^"]*"/, '$1"some moment"');
}
