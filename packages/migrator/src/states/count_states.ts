import type { StateDirectoryReport } from "../core/report.ts";
import { directoryCompanion } from "./directory_companion.ts";
import type { Listing } from "./listing.ts";
import { FileReader } from "./read_file.ts";
import { readingOf } from "./reading.ts";
import { StateCounter } from "./state_counter.ts";
import { isStateFile } from "./state_files.ts";
import type { Survey } from "./survey.ts";
import type { Tick } from "./ticks.ts";

/** Puts into a report what a state directory holds; every state is read for that. The listing is closed. */
export async function countStates(report: StateDirectoryReport, listing: Listing, tick: Tick): Promise<void> {
  try {
    const counter = new StateCounter();
    const reader = new FileReader();
    const companion = directoryCompanion(report.path);
    putSurvey(report, listing.survey);
    let done = 0;
    for (const entry of listing.entries()) {
      const content = isStateFile(entry) ? reader.content(report.path, entry) : null;
      if (content !== null) counter.add(entry.name, readingOf(report.path, entry, content, companion));
      done += 1;
      if (done % 1000 === 0) await tick(done, listing.survey.entries);
    }
    if (done % 1000 !== 0) await tick(done, listing.survey.entries);
    counter.putInto(report);
  } finally {
    listing.close();
  }
}

/** The numbers that need no reading. */
export function putSurvey(report: StateDirectoryReport, { entries, bytes }: Survey): void {
  report.entries = entries;
  report.bytes = bytes;
}
