import type { Workers } from "../../io/child/workers.ts";
import type { HasSettings, Progress } from "../../core/run.ts";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { CheckRequest } from "../../io/child/requests.ts";
import { metricsTableOf, secondTableOf } from "../layouts/metrics_table.ts";
import { readCatalog } from "../layouts/catalog.ts";
import { KNOWN_TABLES } from "../layouts/layout.ts";
import { holdsPatterns } from "../layouts/known_layouts.ts";
import { type PatternSurvey, surveyPatterns } from "../patterns/survey_patterns.ts";
import { recognise } from "../layouts/recognise.ts";
import { countRows, type RowCount } from "./odd_rows.ts";
import { assertSoundMeanwhile } from "./sound.ts";

/** What a look at every row of a database told. */
export interface Counts {
  /** By metrics table. */
  metrics: ReadonlyMap<string, RowCount>;
  /** Null where there is no table of patterns. */
  patterns: PatternSurvey | null;
}

/** How the database is opened for the look: the path that is read, which may be that of a private copy. */
interface Examined extends Pick<CheckRequest, "path" | "access"> {
  /** What the operator calls it. */
  shownAs: string;
}

/**
 * Lets SQLite check all pages, and looks at the rows of the metrics tables meanwhile. The connection is in a transaction,
 * so that nobody writes.
 *
 * @throws Stop when the database is damaged.
 */
export async function examine(
  database: Database,
  examined: Examined,
  run: Progress & HasSettings & Workers,
): Promise<Counts> {
  const sound = assertSoundMeanwhile(database, examined, run);
  const counts = countAll(database, examined, run);
  // Where there is damage, it is what has to be said, whatever the rows looked like.
  await Promise.allSettled([sound, counts]);
  await sound;
  return counts;
}

async function countAll(database: Database, { shownAs }: Examined, run: Progress & HasSettings): Promise<Counts> {
  const catalog = readCatalog(database, KNOWN_TABLES);
  const layout = recognise(catalog);
  const step = { path: shownAs, stage: "inspect", detail: "looking at every row" } as const;
  const metrics = new Map<string, RowCount>();
  for (const table of [metricsTableOf(catalog, layout), secondTableOf(catalog, layout)]) {
    if (table !== null) metrics.set(table.name, await run.inPieces(step, countRows(database, table)));
  }
  const patterns = holdsPatterns(catalog)
    ? await run.inPieces({ ...step, detail: "reading every pattern" }, surveyPatterns(database, run.settings))
    : null;
  return { metrics, patterns };
}
