import { INTERACTION_INDEXES } from "@perdura/internals/metrics/schema.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { withReadable } from "../../io/readable_database.ts";
import { recogniseDatabase } from "../layouts/known_layouts.ts";
import { metricsTableOf, secondTableOf } from "../layouts/layout.ts";
import { formerIndexes } from "../migrate/indexes.ts";
import { attachBackup } from "../proof/comparison.ts";
import { proveDatabase } from "../proof/prove_database.ts";
import { notesOnUnreadable } from "../proof/unreadable_tables.ts";
import { type MigrationRecord, nextNumber, readRecords } from "../record/migration_record.ts";
import { schemaEntries, type SchemaEntry } from "../sql/catalog.ts";
import { type BackupState, chooseBackup, reportDifference } from "./choose_backup.ts";
import { compareRows, type Comparing, reportCopy } from "./comparing.ts";

/** Compares a database in a layout of version 16 with its backup from before the migration. */
export async function compareMigrated(
  comparing: Comparing,
  now: Parameters<typeof chooseBackup>[1],
  backups: readonly string[],
): Promise<void> {
  const { report, run } = comparing;
  const chosen = chooseBackup(backups, now, (path) => withReadable({ path }, path, run, beforeMigration));
  if ("reason" in chosen) return reportDifference(report, chosen.reason);
  const { path: backup, state } = chosen;
  await reportCopy(comparing, backup);
  if (state.before !== null && now.layout.name !== "documented-16")
    return reportDifference(report, `The table interactions does not exist; the backup ${backup} contains its rows.`);
  await compareRows(comparing, "the backup", function* (database) {
    attachBackup(database, backup);
    const last = readRecords(database).at(-1);
    const notes = [...(last === undefined ? [] : notesOnChanged(database, last)), ...notesOnUnreadable(database)];
    const verification = yield* proveDatabase({ ...state, written: new Set(), database, later: true });
    if (last === undefined && state.before !== null)
      verification.differences.push(
        "the table perdura_migration has no record of the migration any more: down is not possible without it, only the backup restores the pre-16 layout",
      );
    return { verification, notes };
  });
}

function beforeMigration(database: Database): BackupState {
  const { catalog, layout } = recogniseDatabase(database);
  return {
    layout,
    before: metricsTableOf(catalog, layout),
    second: secondTableOf(catalog, layout),
    dropped: formerIndexes(database, catalog, layout),
    number: nextNumber(database),
  };
}

/** Notes on objects that were dropped, or created again, since the last migration, although every row exists. */
function notesOnChanged(database: Database, { result }: MigrationRecord): string[] {
  const now = new Map(schemaEntries(database).map((entry) => [keyOf(entry), entry.sql]));
  const was = result.objects.filter(({ name }) => !name.startsWith("sqlite_"));
  const gone = was.filter((entry) => !now.has(keyOf(entry)));
  const other = was.filter((entry) => now.has(keyOf(entry)) && now.get(keyOf(entry)) !== entry.sql);
  return [
    ...(gone.length === 0 ? [] : [`missing since the migration: ${gone.map(nameOf).join(", ")}${advice(gone)}`]),
    ...(other.length === 0 ? [] : [`changed since the migration: ${other.map(nameOf).join(", ")}`]),
  ];
}

function advice(gone: readonly SchemaEntry[]): string {
  return gone.some(({ name }) => name in INTERACTION_INDEXES) ? "; run up to build the specified indexes again" : "";
}

const keyOf = ({ type, name }: Pick<SchemaEntry, "type" | "name">): string => `${type} ${name.toLowerCase()}`;

const nameOf = ({ type, name }: SchemaEntry): string => `the ${type} ${name}`;
