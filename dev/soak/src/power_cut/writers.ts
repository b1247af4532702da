import { BACKUP_WRITERS } from "./backup_writers.ts";
import { CONTROL_WRITERS } from "./control_writers.ts";
import { LIBRARY_WRITERS } from "./library_writers.ts";
import { METRICS_WRITERS } from "./metrics_writers.ts";
import { MIGRATION_WRITERS } from "./migration_writers.ts";
import type { Writer } from "./writer.ts";

/** All writers. */
export const WRITERS: readonly Writer[] = [
  ...METRICS_WRITERS,
  ...LIBRARY_WRITERS,
  ...BACKUP_WRITERS,
  ...MIGRATION_WRITERS,
  ...CONTROL_WRITERS,
];

/** Folder of a writer, below the common directory. */
export function folderOf({ row }: Pick<Writer, "row">): string {
  return row.replace(/[^a-z0-9]+/gi, "-");
}
