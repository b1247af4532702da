import { statSync } from "node:fs";
import { backupsOf } from "../../io/copy_database.ts";
import { withReadable } from "../../io/readable_database.ts";
import { type DowngradePlan, planDowngrade } from "../downgrade/plan_downgrade.ts";
import { notesOnOriginal, proveDowngrade } from "../downgrade/proof/prove_downgrade.ts";
import { knownTables } from "../layouts/table_layouts.ts";
import { columnsOfTable, readCatalog } from "../sql/catalog.ts";
import { reportDifference } from "./choose_backup.ts";
import { compareRows, type Comparing, reportCopy } from "./comparing.ts";

/** The backup of `down`, if it is the newest of all: then the old layout is the result of a downgrade. */
export function backupOfDowngrade(database: string, backupDir: string | null): string | undefined {
  const copy = backupsOf(database, backupDir, "v16").at(-1);
  const original = backupsOf(database, backupDir).at(-1);
  if (copy === undefined || original === undefined) return copy;
  return statSync(copy).mtimeMs >= statSync(original).mtimeMs ? copy : undefined;
}

/**
 * Compares a downgraded database with its state in version 16, and with the backup from before the migration. Rows that
 * a pre-16 program recorded since are counted, but are not differences.
 */
export async function compareDowngraded(comparing: Comparing, copy: string): Promise<void> {
  const { found, report, run } = comparing;
  const plan = withReadable({ path: copy }, copy, run, (database) =>
    planDowngrade(database, readCatalog(database, knownTables())),
  );
  await reportCopy(comparing, copy);
  if (plan === undefined)
    return reportDifference(
      report,
      `The database is in a pre-16 layout, but its newest backup ${copy} has no record of a migration.`,
    );
  const missing = missingTable(comparing, plan);
  if (missing !== undefined)
    return reportDifference(
      report,
      `The table ${missing} is missing or has other columns. The backup ${copy} contains its rows.`,
    );
  const originals = backupsOf(found.path, run.settings.backupDir);
  await compareRows(comparing, "the backups", function* (database) {
    const { verification, original } = yield* proveDowngrade(database, plan, { copy, originals, later: true });
    return { verification, notes: notesOnOriginal(original) };
  });
}

function missingTable(
  { found, place, run }: Comparing,
  { state: { metrics, second } }: DowngradePlan,
): string | undefined {
  return withReadable(place, found.path, run, (database) => {
    const isThere = (table: { name: string; columns: string[] }): boolean => {
      const present = columnsOfTable(database, table.name);
      return table.columns.every((column) => present.includes(column));
    };
    return [metrics, second].find((table) => table !== null && !isThere(table))?.name;
  });
}
