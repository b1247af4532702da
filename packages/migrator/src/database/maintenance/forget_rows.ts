import { runCallerCode } from "@perdura/internals/errors/caller_errors.js";
import { countDue } from "@perdura/internals/metrics/deletion/delete_rows.js";
import {
  type CheckedDeletion,
  checkedDeletion,
  checkedForgetting,
} from "@perdura/internals/metrics/deletion/deletion_arguments.js";
import { countOrphanedMetadata } from "@perdura/internals/metrics/deletion/orphaned_metadata.js";
import { InteractionLog } from "@perdura/internals/metrics/interaction_log.js";
import { isDeclaredKeysTable } from "@perdura/internals/metrics/keys/declared_keys.js";
import { isRollupTable } from "@perdura/internals/metrics/rollup/handover.js";
import type { LevelColumn } from "@perdura/internals/metrics/schema.js";
import { checkedMoment } from "@perdura/internals/metrics/time_range.js";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { MaintainedDatabase } from "../../core/maintenance_report.ts";
import type { HasSettings } from "../../core/options.ts";
import type { Progress } from "../../core/progress.ts";
import { runStoredSteps } from "./stored_steps.ts";
import { countFrom } from "../sql/count_from.ts";

/** The interactions to delete: those of a user, those before a moment, or both conditions; or orphaned metadata. */
export interface Forgotten {
  orphans: boolean;
  userId: string | undefined;
  before: Date | string | undefined;
  erase: boolean;
}

/** @throws ValidationError that names the argument. */
export function checkedForgotten({ orphans, userId, before, erase }: Forgotten): CheckedDeletion {
  const options = { erase };
  if (orphans) return { orphans, userId: undefined, before: undefined, erase, report: undefined };
  if (before === undefined) return checkedForgetting(userId as string, options);
  // Its own argument has another name.
  const moment = checkedMoment("before", before);
  return checkedDeletion(moment, { ...options, ...(userId === undefined ? {} : { user_id: userId }) });
}

/** Counts what would be deleted, and lists tables that keep records of a migration. Only reads. */
export function planForgetting(item: MaintainedDatabase, forgotten: Forgotten, { settings }: HasSettings): void {
  const database = openDatabase(item.path, { intent: "read", busyTimeoutMs: settings.busyTimeoutMs });
  try {
    if (forgotten.orphans) item.metadata = countOrphanedMetadata(database);
    else Object.assign(item, countDue(database, checkedForgotten(forgotten)));
    const tables = database
      .prepare("SELECT name, sql FROM main.sqlite_schema WHERE type = 'table' AND name LIKE 'perdura\\_%' ESCAPE '\\'")
      .all() as { name: string; sql: string }[];
    for (const { name, sql } of tables) {
      if (isRollupTable(name, sql) || isDeclaredKeysTable(name, sql)) continue;
      const rows = countFrom(database, `main.${sqlName(name)}`);
      if (rows > 0) item.kept_tables.push({ table: name, rows });
    }
  } finally {
    database.close();
  }
}

/**
 * Deletes interactions in steps that are stored one by one, between which other writers continue. After an interruption
 * or a kill, the next call deletes and erases the rest.
 */
export async function forgetRows(
  item: MaintainedDatabase,
  levelColumn: LevelColumn,
  forgotten: Forgotten,
  run: Progress & HasSettings,
): Promise<void> {
  const { path } = item;
  const step = { path, stage: "forget", detail: detailOf(forgotten) } as const;
  const log = new InteractionLog(path, levelColumn, { busyTimeoutMs: run.settings.busyTimeoutMs });
  try {
    Object.assign(
      item,
      await runStoredSteps(log.deletion(reportingRows(item, forgotten, run)), log.watch(), step, run),
    );
  } finally {
    log.close();
  }
}

const detailOf = ({ orphans }: Forgotten): string =>
  `deleting ${orphans ? "metadata without an interaction" : "interactions"}`;

/** The checked deletion, which reports its progress. */
export function reportingRows(item: MaintainedDatabase, forgotten: Forgotten, run: Progress): CheckedDeletion {
  const step = { path: item.path, stage: "forget", detail: detailOf(forgotten), unit: "rows" } as const;
  return {
    ...checkedForgotten(forgotten),
    report: (done, total, metadata = 0) => {
      if (!forgotten.orphans) item.interactions = done;
      item.metadata = metadata;
      runCallerCode(() => run.reportProgress({ ...step, done, total }));
    },
  };
}
