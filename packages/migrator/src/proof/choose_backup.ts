import type { Catalog } from "../recognise/catalog.ts";
import { holdsPatterns } from "../recognise/layouts/patterns.ts";
import type { Layout } from "../recognise/layout.ts";
import type { LevelTable } from "../recognise/level_tables.ts";
import type { Subject } from "./subject.ts";

/** What a backup holds. */
export interface BackupState extends Pick<Subject, "before" | "second" | "dropped"> {
  layout: Layout;
  /** Other tables with levels; a migration may have added rows of one. */
  levelTables: LevelTable[];
}

type Choice = { path: string; state: BackupState } | { reason: string };

/**
 * Chooses the backup that a migrated database is proved by: the newest from before 16. A later one, made when a lost
 * index was built again, has the damage in it that the proof is to find; it serves only where there is no earlier one.
 *
 * @param backups Oldest first, at least one.
 * @param now The migrated database.
 * @returns A reason where none can be the backup of such a database.
 */
export function chooseBackup(
  backups: readonly string[],
  now: { layout: Layout; catalog: Catalog },
  read: (path: string) => BackupState,
): Choice {
  const faults: string[] = [];
  let later: Choice | undefined;
  for (const path of backups.toReversed()) {
    const state = attempt(() => read(path));
    if (state instanceof Error) faults.push(`The backup ${path} cannot be read: ${state.message}`);
    else if (isBefore16(state.layout)) return { path, state };
    else if (couldBecome(state.layout, now)) later ??= { path, state };
    else faults.push(`The backup ${path} holds no metrics table (${state.layout.title}).`);
  }
  return later ?? { reason: faults[0] ?? "There is no backup." };
}

/** True for a layout from which there is a way to version 16. */
export function isBefore16({ treatment }: Layout): boolean {
  return treatment === "rename" || treatment === "convert" || treatment === "unite";
}

/** Where only indexes were built. A program of 16 may have begun its metrics table beside a pattern library since. */
function couldBecome(before: Layout, { layout, catalog }: { layout: Layout; catalog: Catalog }): boolean {
  if (before.treatment !== "keep") return false;
  return before.name === layout.name || (before.name === "patterns" && holdsPatterns(catalog));
}

function attempt(read: () => BackupState): BackupState | Error {
  try {
    return read();
  } catch (error) {
    return error as Error;
  }
}
