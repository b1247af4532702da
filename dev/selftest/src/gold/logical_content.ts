import { readFileSync, rmSync } from "node:fs";
import { openCopy } from "../../../../packages/conformance/src/inspect/database_copy.ts";
import { temporaryFolder } from "../../../../test/temporary_folder.ts";

/** Columns with the time of writing, because the writer has no settable clock. */
const MOMENTS: readonly string[] = ["patterns.updated_at"];
/** The same columns for writers that are used through the protocol. */
const MOMENTS_OF_ADAPTERS: readonly string[] = [...MOMENTS, "interactions.timestamp"];

/**
 * The content of a gold file as text that can be compared: the bytes of a database contain the version of the SQLite
 * that wrote it, and the time. Other files are compared directly.
 * @param clock false if the times are those of the writing.
 */
export function logicalContent(path: string, clock: boolean): string {
  if (!path.endsWith(".db")) return timeless(readFileSync(path, "utf8"), clock);
  const scratch = temporaryFolder();
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
