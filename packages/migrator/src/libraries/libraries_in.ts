import type { Discovery } from "../core/discovery.ts";
import type { DatabaseReport, MigrationReport } from "../core/report.ts";

/**
 * Adds what a command has to say about the pattern libraries in JSON to its report. One of which there is nothing to say
 * stays among what is left alone.
 */
export async function addLibraries(
  report: MigrationReport,
  { libraries }: Discovery,
  look: (path: string) => Promise<DatabaseReport | undefined>,
): Promise<void> {
  for (const path of libraries) {
    const item = await look(path);
    const isSilent = item?.status === "nothing_to_do" && item.notes.length + item.backups.length === 0;
    if (item === undefined || isSilent) continue;
    report.databases.push(item);
    report.left_alone = report.left_alone.filter((left) => left.path !== path);
  }
}
