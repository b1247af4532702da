import type { Trial } from "./judge_constraints.ts";
import { isNow } from "./judge_constraints.ts";
import type { DatabaseObject } from "./database_objects.ts";
import type { Line } from "./file_report.ts";
import type { ValueRule } from "./judge_rows.ts";
import {
  also,
  booleanRule,
  idRule,
  integerRule,
  isJsonObject,
  jsonRule,
  levelRule,
  realRule,
  timestampRule,
} from "./value_rules.ts";

/** What a line calls the level, and the requirements on it. */
export const LEVEL_COLUMN: Record<Line, { name: string; columns: string; naming: string }> = {
  "15": { name: "empathy_level", columns: "R-2.5/columns.before-16", naming: "R-9/level-column.before-16" },
  "16": { name: "level", columns: "R-2.5/columns", naming: "R-9/level-column" },
};

/** Index, column and requirement (section 2.3). */
export const INTERACTION_INDEXES: readonly (readonly [string, string, string])[] = [
  ["idx_interactions_user", "user_id", "R-2.3/interactions.user"],
  ["idx_interactions_timestamp", "timestamp", "R-2.3/interactions.timestamp"],
];

/** The columns of `interactions` (section 2.5) but the level, which the lines call differently. */
export const INTERACTION_COLUMNS = ["id", "user_id", "success", "response_time_ms", "timestamp"] as const;

/** What may stand in the columns of `interactions`. @param level what the file calls the level. */
export function interactionRules(level: string): Record<string, ValueRule> {
  const storage = "R-2.5/storage-classes";
  const negative = (value: unknown): boolean => (typeof value === "number" || typeof value === "bigint") && value < 0;
  return {
    id: integerRule("R-2.5/id.primary-key", storage),
    user_id: idRule(storage, "R-2.5/user-id.required", "remark"),
    [level]: levelRule("R-2.5/level.required"),
    success: booleanRule(storage, "R-2.5/success.required", storage),
    response_time_ms: also(
      realRule(storage, storage, { level: "remark", ruling: "U-range" }),
      negative,
      "U-range",
      "a time that is not negative",
    ),
    timestamp: timestampRule("R-4.2/timestamp", {
      level: "remark",
      ruling: "U-timestamp-zone",
      wanted: "UTC as YYYY-MM-DD HH:MM:SS",
      fits: ({ space, zone }) => space && !zone,
    }),
  };
}

/** What may stand in the side table of the metadata, which is a ruling's. */
export const METADATA_RULES: Record<string, ValueRule> = {
  metadata: (value) => {
    const fault = jsonRule("U-metadata-storage", "a JSON object", isJsonObject)(value);
    return fault && { ...fault, level: "remark" };
  },
};

/** How `interactions` is tried out. */
export function interactionTrial(table: DatabaseObject, level: string, mark: string): Trial {
  return {
    table,
    row: { user_id: `'${mark}'`, [level]: "3", success: "1" },
    where: `user_id = '${mark}'`,
    required: { user_id: "R-2.5/user-id.required", [level]: "R-2.5/level.required", success: "R-2.5/success.required" },
    defaults: [
      {
        column: "id",
        requirement: "R-2.5/id.generated",
        wanted: "a generated integer",
        fits: (value) => typeof value === "bigint",
      },
      {
        column: "response_time_ms",
        requirement: "R-2.5/response-time.optional",
        wanted: "no value",
        fits: (value) => value === null,
      },
      { column: "timestamp", requirement: "R-2.5/timestamp.default", wanted: "the current time", fits: isNow },
    ],
    key: "R-2.5/id.primary-key",
    optional: "R-2.5/response-time.optional",
  };
}
