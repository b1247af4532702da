import type { HasSettings } from "../core/run.ts";
import { readWhole } from "@perdura/internals/files/read_bytes.js";
import { backupsOf, existing } from "../io/copy_database.ts";
import type { PatternDecisions } from "../database/patterns/repair_row.ts";
import { repairedText } from "./repair_library.ts";
import { surveyLibrary } from "./survey_library.ts";

/** What a library is, compared with its newest backup. */
export type LibraryState =
  /** As the repair of the backup left it. */
  | "repaired"
  /** As the backup is. */
  | "original"
  /** A program has saved it since. */
  | "saved_since";

const DECISIONS: readonly PatternDecisions[] = ([null, "null", "text"] as const).flatMap((nonFinite) =>
  ([null, "drop-zone", "utc"] as const).map((timestamps) => ({ nonFinite, timestamps })),
);

/** The newest backup of a library, or the one that a report names; undefined where there is none. */
export function backupOfLibrary(path: string, { settings }: HasSettings, reported?: string): string | undefined {
  return backupsOf(path, settings.backupDir).at(-1) ?? existing(reported);
}

/** Tells by the bytes alone: what a repair makes of a backup depends on nothing but the decisions. */
export function stateOf(path: string, backup: string): LibraryState {
  const [now, original] = [readWhole(path), readWhole(backup)];
  if (now.equals(original)) return "original";
  const isRepair = DECISIONS.some((decisions) =>
    Buffer.from(repairedText(original, backup, surveyLibrary(backup, decisions), decisions)).equals(now),
  );
  return isRepair ? "repaired" : "saved_since";
}
