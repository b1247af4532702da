import type { LevelColumn } from "@perdura/internals/metrics/schema.js";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import type { FoundDatabase } from "../../core/discovery.ts";
import { recogniseDatabase } from "../layouts/known_layouts.ts";
import type { MaintainedDatabase } from "../../core/maintenance_report.ts";
import type { HasSettings } from "../../core/options.ts";
import { Stop, stopOf } from "../../core/stop.ts";
import type { Layout } from "../layouts/layout.ts";

/** Layouts that collectors of perdura write, with the column of the level. */
const LEVEL_COLUMNS: Readonly<Record<string, LevelColumn>> = {
  "documented-15": "empathy_level",
  "documented-16": "level",
};

/**
 * Determines the line of a database, and sets the status of one that no collector of perdura writes.
 *
 * @returns The column of the level; undefined for a database that is left alone or refused.
 */
export function collectedLine(
  found: FoundDatabase,
  item: MaintainedDatabase,
  run: HasSettings,
): LevelColumn | undefined {
  try {
    const layout = layoutOf(found.path, run);
    item.layout = layout.name;
    const levelColumn = LEVEL_COLUMNS[layout.name];
    if (levelColumn !== undefined && found.refusal !== null) throw new Stop("refused", found.refusal);
    if (levelColumn !== undefined) return levelColumn;
    item.status = layout.treatment === "leave" || layout.name === "patterns" ? "left_alone" : "refused";
    item.reason = layout.sentence ?? SENTENCES[item.status];
  } catch (error) {
    const { status, message } = stopOf(error, found.path);
    item.status = status;
    item.reason = message;
  }
  return undefined;
}

const SENTENCES = {
  left_alone: "The database has patterns, and no interactions.",
  refused: "No collector of perdura writes this layout. Run up first.",
} as const;

function layoutOf(path: string, { settings: { busyTimeoutMs } }: HasSettings): Layout {
  const database = openDatabase(path, { intent: "read", busyTimeoutMs });
  try {
    return recogniseDatabase(database).layout;
  } finally {
    database.close();
  }
}
