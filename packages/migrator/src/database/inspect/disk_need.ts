import { dirname } from "node:path";
import { rehearsalPlace } from "../../io/access.ts";
import { freeBytes } from "../../io/disk_space.ts";
import type { Treatment } from "../layouts/layout.ts";
import type { DatabaseReport } from "../../core/report.ts";

/** Room for the schema pages and a small journal. */
const MARGIN = 1 << 20;

/**
 * What a migration needs at most, as parts of the database's size: 1 for the backup; 0.6 for indexes that are built;
 * for the field layouts 1 more for the journal of rewritten rows and 0.6 for the side table. All of it goes beside the
 * database, but for a backup that has a directory of its own; of a rehearsal all of it goes where backups go.
 */
export function diskNeed(
  path: string,
  bytes: number,
  treatment: Treatment,
  buildsIndexes: boolean,
  backupDir: string | null,
  rehearse = false,
): NonNullable<DatabaseReport["disk"]> {
  const change = (buildsIndexes ? 0.6 : 0) + (treatment === "convert" || treatment === "unite" ? 1.6 : 0);
  const place = rehearse ? rehearsalPlace(dirname(path), backupDir) : dirname(path);
  // A rehearsal has a copy to change, and the copy of that.
  const copies = rehearse ? 2 : backupDir !== null && backupDir !== place ? 0 : 1;
  const needed = Math.ceil(bytes * (change + copies)) + MARGIN;
  return { path: place, needed_bytes: needed, free_bytes: freeBytes(place) };
}
