import type { Workers } from "../../io/child/workers.ts";
import type { HasSettings, Progress } from "../../core/run.ts";
import { statSync } from "node:fs";
import { backupsOf } from "../../io/copy_database.ts";
import type { FoundDatabase } from "../../core/discovery.ts";
import { openReadable, withReadable } from "../../io/readable_database.ts";
import { readCatalog } from "../layouts/catalog.ts";
import { KNOWN_TABLES } from "../layouts/layout.ts";
import type { DatabaseReport } from "../../core/report.ts";
import { notesOnOriginal, proveReversion, type ReversionProof } from "./prove/prove_reversion.ts";
import { type Reversion, reversionOf } from "./reversion.ts";

/** The copy that `down` made, where that is the newest of all: then the database is in its old layout for good reason. */
export function copyOfReversion(database: string, backupDir: string | null): string | undefined {
  const copy = backupsOf(database, backupDir, "v16").at(-1);
  const original = backupsOf(database, backupDir).at(-1);
  if (copy === undefined || original === undefined) return copy;
  return statSync(copy).mtimeMs >= statSync(original).mtimeMs ? copy : undefined;
}

/**
 * Compares a database that was brought back with itself in version 16, and with the copy from before the migration.
 * Rows that a program of before 16 recorded since are counted, and are no difference.
 */
export async function compareReverted(
  found: FoundDatabase,
  place: { path: string },
  copy: string,
  report: DatabaseReport,
  run: Progress & HasSettings & Workers,
): Promise<void> {
  const reversion = withReadable({ path: copy }, copy, run, (database) =>
    reversionOf(database, readCatalog(database, KNOWN_TABLES)),
  );
  const sha256 = await run.files.hash(copy);
  report.backup = { path: copy, bytes: statSync(copy).size, sha256, reused: false, kept: true };
  const missing = reversion === undefined ? undefined : missingTable(found, place, reversion, run);
  if (reversion === undefined || missing !== undefined) {
    report.status = "differs";
    report.reason =
      missing === undefined
        ? `It is in a layout of before 16, but its newest copy ${copy} tells of no migration.`
        : `The table ${missing} is not there, or has other columns; the copy ${copy} has its rows.`;
    return;
  }
  const { verification, original } = await prove(found, place, copy, reversion, run);
  report.verification = verification;
  report.notes.push(...notesOnOriginal(original));
  report.status = verification.differences.length === 0 ? "verified" : "differs";
}

async function prove(
  { path }: FoundDatabase,
  place: { path: string },
  copy: string,
  reversion: Reversion,
  run: Progress & HasSettings,
): Promise<ReversionProof> {
  const database = openReadable({ ...place, remove: () => undefined }, path, run.settings.busyTimeoutMs);
  try {
    const originals = backupsOf(path, run.settings.backupDir);
    return await run.inPieces(
      { path, stage: "compare", detail: "comparing every row with the copies" },
      proveReversion(database, reversion, { copy, originals, later: true }),
    );
  } finally {
    database.close();
  }
}

function missingTable(
  found: FoundDatabase,
  place: { path: string },
  { form: { metrics, second } }: Reversion,
  run: HasSettings,
): string | undefined {
  return withReadable(place, found.path, run, (database) => {
    const columns = database.prepare("SELECT name FROM pragma_table_info(?, 'main')").pluck();
    const isThere = (table: { name: string; columns: string[] }): boolean => {
      const present = columns.all(table.name);
      return table.columns.every((column) => present.includes(column));
    };
    return [metrics, second].find((table) => table !== null && !isThere(table))?.name;
  });
}
