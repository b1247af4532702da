import { countText } from "@perdura/cli/quantities.js";
import { agreeing } from "../../core/rows_text.ts";
import type { DatabaseReport, UnusualRows } from "../../core/report.ts";
import type { Layout } from "../layouts/layout.ts";
import type { RowCount } from "./count_rows.ts";

/** Invalid rows of a table that has the layout of version 16 already, for a report. */
interface InvalidRows {
  unusual: UnusualRows[];
  notes: string[];
}

/**
 * Rows that other programs wrote into a table of version 16, and that it cannot hold: no migration concerns them, so a
 * note says what to do.
 */
export function invalidRowsOf({ treatment }: Layout, { unusual, blocked }: RowCount): InvalidRows {
  const invalid = unusual.filter(({ blocks }) => blocks);
  if (treatment !== "keep" || blocked === 0) return { unusual: [], notes: [] };
  const rows = `${countText(blocked, "row")} of interactions ${agreeing(blocked, "is", "are")}`;
  return {
    unusual: invalid,
    notes: [
      `${rows} invalid in version 16, which leaves values of such rows out of its answers; another program wrote ${agreeing(blocked, "it", "them")}. No migration changes the table: correct the rows or delete them with SQL`,
    ],
  };
}

/** Puts invalid rows into a report. */
export function addInvalidRows(report: DatabaseReport, { unusual, notes }: InvalidRows): void {
  report.unusual_rows.push(...unusual);
  report.notes.push(...notes);
}
