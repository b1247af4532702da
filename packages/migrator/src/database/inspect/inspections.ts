import type { Cleanup, HasSettings, Progress } from "../../core/run.ts";
import type { Workers } from "../../io/child/workers.ts";
import type { AskLevels } from "../../core/user_levels.ts";
import type { EarlyCopies } from "../../io/early_copy.ts";
import type { Examination } from "./examine.ts";

/** What a run knows of its databases: each is inspected once. */
export interface Inspections {
  /** What was found in the rows of each database. */
  readonly examined: Map<string, Examination>;
  /** Names of the tables of each database that could be named as the source of levels. */
  readonly levelTables: Map<string, readonly string[]>;
  /** Gives the levels in the collaboration states that were found. */
  askLevels: AskLevels;
}

/** What work on a whole database needs of its run. */
export type DatabaseRun = Progress & HasSettings & Workers & Cleanup & Inspections & EarlyCopies;
