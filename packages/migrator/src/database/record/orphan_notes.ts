import { countText } from "@perdura/cli/quantities.js";
import { countOrphanedMetadata } from "@perdura/internals/metrics/deletion/orphaned_metadata.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { commandLine } from "../../core/shell_words.ts";

/** A note on metadata without an interaction, with the command that deletes them; empty without such metadata. */
export function orphanNotes(database: Database, path: string): string[] {
  const count = countOrphanedMetadata(database);
  if (count === 0) return [];
  return [
    `${countText(count, "metadata text")} without an interaction, which another program left; to delete: ${commandLine("forget", ["--orphans"], [path])}`,
  ];
}
