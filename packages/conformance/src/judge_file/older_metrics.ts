import type { DatabaseObject } from "./database_objects.ts";

/** The columns that every metrics table of older programs has. */
const COLUMNS = ["id", "user_id", "success", "response_time_ms", "timestamp"];

/**
 * The table `metrics` as programs of the field wrote it, and not another program's table of this name; under the name
 * `metrics_new` where a program that rebuilt it died before the last step.
 */
export function olderMetrics(objects: Map<string, DatabaseObject>): DatabaseObject | undefined {
  const table = objects.get("metrics") ?? objects.get("metrics_new");
  return table?.kind === "a table" && COLUMNS.every((column) => table.columns.has(column)) ? table : undefined;
}

/** What an operator must know about a table `metrics` of an older program, in words. */
export function olderMetricsWords(objects: Map<string, DatabaseObject>): string {
  const levels = objects.get("metrics")?.columns.has("empathy_level") === true;
  if (levels && objects.has("metrics_new"))
    return "the table metrics with metrics_new beside it: this looks like a metrics database of before 16 that a newer program began to rebuild and did not finish; it needs migrating, and no program may open it before that";
  if (levels)
    return "the table metrics with empathy_level: this looks like a metrics database of before 16, as older programs wrote it; it needs migrating, before a program of 15 or later opens it and drops the levels";
  if (!objects.has("metrics"))
    return "the table metrics_new without metrics: this looks like a metrics database of before 16 that a newer program began to rebuild and did not finish; it needs migrating, and the levels are not in it";
  return "the table metrics without a level: this looks like a metrics database that an older program of 15 or later wrote or opened, which kept no levels; it needs migrating, and the levels are not in it";
}

/** True for a table `interactions` of this layer, whole or not, and not for another program's table of this name. */
export function isInteractions(table: DatabaseObject | undefined): boolean {
  if (table === undefined || table.kind !== "a table") return table !== undefined;
  return (
    ["user_id", "level", "empathy_level", "response_time_ms"].filter((column) => table.columns.has(column)).length >= 2
  );
}
