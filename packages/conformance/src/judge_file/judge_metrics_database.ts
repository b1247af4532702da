import { randomUUID } from "node:crypto";
import type { ScratchDatabase, StoredValue } from "../inspect/database_copy.ts";
import type { Finding } from "../inspect/findings.ts";
import { objectsOf, quoteName, tableNamed, type DatabaseObject } from "./database_objects.ts";
import { LINES, type Line } from "./file_report.ts";
import { FindingList } from "./finding_list.ts";
import { suiteText } from "../inspect/suite_text.ts";
import { isNow, judgeConstraints, withoutTriggers, type Trial } from "./judge_constraints.ts";
import { judgeColumns, judgeIndex, requireTable } from "./judge_layout.ts";
import { judgeRows, type ValueRule } from "./judge_rows.ts";
import { reportSqliteErrors, judgeForeignKeys, judgeIntegrity } from "./integrity.ts";
import {
  withRemark,
  booleanRule,
  idRule,
  integerRule,
  isJsonObject,
  jsonRule,
  levelRule,
  momentRule,
  realRule,
} from "./value_rules.ts";

/**
 * Judges the tables of a metrics database (sections 2.3 and 2.5) for one line; the lines differ in the name of the
 * level.
 * @param copy from `openCopy`: trial rows are inserted and rolled back.
 * @param list collects the findings, and the requirements that were judged.
 * @returns the findings; an empty list for a correct database.
 * @example const copy = openCopy("metrics.db", scratch); judgeMetricsDatabase(copy, "16");
 */
export function judgeMetricsDatabase(
  copy: ScratchDatabase,
  line: Line,
  list: FindingList = new FindingList(),
): Finding[] {
  if (judgeIntegrity(copy, list))
    reportSqliteErrors(list, "", "a readable database", () => judgeTables(copy, line, list));
  return list.all();
}

function judgeTables(copy: ScratchDatabase, line: Line, list: FindingList): void {
  const objects = objectsOf(copy);
  judgeOlderTable(objects, LEVEL_COLUMN[line].columns, list);
  if (!objects.has("interactions") && olderMetrics(objects) !== undefined) return;
  const misnamed = objects.has("interactions") ? undefined : misnamedMetrics(objects);
  if (misnamed) {
    list.error(LEVEL_COLUMN[line].columns, {
      at: misnamed.name,
      wanted: "the table interactions",
      got: suiteText("a table metrics with the column level: the layout of no line and of no known program"),
      cell: { table: misnamed.name },
    });
    return;
  }
  const interactions = requireTable(objects, "interactions", LEVEL_COLUMN[line].columns, list);
  if (interactions) judgeInteractions(copy, interactions, line, list);
  const metadata = tableNamed(objects, "interaction_metadata");
  if (!metadata) return;
  reportSqliteErrors(list, metadata.name, "rows that can be read", () =>
    judgeRows(copy, metadata, METADATA_RULES, { level: "remark", requirement: "U-metadata-storage" }, list),
  );
  judgeForeignKeys(copy, metadata, (difference) => list.remark("U-metadata-storage", difference));
}

/** Reports tables of older programs, which store a user's history under other names. */
function judgeOlderTable(objects: Map<string, DatabaseObject>, columns: string, list: FindingList): void {
  const table = olderMetrics(objects);
  if (table === undefined) return;
  const found = { at: table.name, got: suiteText(olderMetricsWords(objects)), cell: { table: table.name } };
  if (objects.has("interactions"))
    list.remark("U-legacy-layouts", {
      ...found,
      wanted: "no table of an older program next to interactions; its rows are not read",
    });
  else list.error(columns, { ...found, wanted: "the table interactions" });
}

function judgeInteractions(copy: ScratchDatabase, table: DatabaseObject, line: Line, list: FindingList): void {
  judgeColumns(table, INTERACTION_COLUMNS, LEVEL_COLUMN[line].columns, list);
  const level = judgeLevelColumn(table, line, list);
  if (table.columns.has("metadata"))
    list.remark("U-metadata-storage", {
      at: `${table.name}.metadata`,
      wanted: "metadata in the side table interaction_metadata",
      got: suiteText("a column"),
      cell: { table: table.name, column: "metadata" },
    });
  for (const [index, column, requirement] of INTERACTION_INDEXES)
    judgeIndex(copy, table, index, column, requirement, list);
  reportSqliteErrors(list, table.name, "rows that can be read", () =>
    judgeRows(copy, table, interactionRules(level), { level: "error", requirement: "R-2.5/user-id.text" }, list),
  );
  reportSqliteErrors(list, table.name, "rows that can be inserted", () =>
    withoutTriggers(copy, () =>
      judgeConstraints(copy, interactionTrial(table, level, `perdura-conformance ${randomUUID()}`), list),
    ),
  );
}

/** Reports a missing level column of this line, and a level column of the other line. @returns the one to judge by. */
function judgeLevelColumn(table: DatabaseObject, line: Line, list: FindingList): string {
  const { name, columns, naming } = LEVEL_COLUMN[line];
  const other = LEVEL_COLUMN[line === "15" ? "16" : "15"].name;
  const otherLine =
    line === "16"
      ? "empathy_level: this looks like a pre-16 metrics database; migrate it"
      : "level: this looks like a metrics database of 16, which pre-16 programs cannot use";
  list.judged(naming);
  if (table.columns.has(other)) {
    // The missing column is reported once, by its name.
    list.judged(columns, table.columns.has(name));
    const got = table.columns.has(name) ? `both level and empathy_level` : otherLine;
    list.error(naming, {
      at: `${table.name}.${other}`,
      wanted: `the column ${name} and no ${other} (line ${line})`,
      got: suiteText(got),
      cell: { table: table.name, column: other },
    });
    return table.columns.has(name) ? name : other;
  }
  judgeColumns(table, [name], columns, list);
  return name;
}

/** Name of the level in each line, and its requirements. */
const LEVEL_COLUMN: Record<Line, { name: string; columns: string; naming: string }> = {
  "15": { name: "empathy_level", columns: "R-2.5/columns.before-16", naming: "R-9/level-column.before-16" },
  "16": { name: "level", columns: "R-2.5/columns", naming: "R-9/level-column" },
};

/** True for a requirement of metrics databases, false for one of pattern databases. */
export function isAboutMetrics(requirement: string): boolean {
  return /^R-(?:2\.5|2\.3\/interactions|4\.2|9\/level-column)/.test(requirement);
}

/** The line of a requirement; for a requirement of both lines that of the file, which has no influence on it. */
export function lineToJudgeBy(copy: ScratchDatabase, requirement: string): Line {
  for (const line of LINES) {
    const { columns, naming } = LEVEL_COLUMN[line];
    if (requirement === columns || requirement === naming) return line;
  }
  const found = objectsOf(copy).get("interactions");
  return found?.columns.has(LEVEL_COLUMN["16"].name) === true ? "16" : "15";
}

/** Index, column and requirement (section 2.3). */
const INTERACTION_INDEXES: readonly (readonly [string, string, string])[] = [
  ["idx_interactions_user", "user_id", "R-2.3/interactions.user"],
  ["idx_interactions_timestamp", "timestamp", "R-2.3/interactions.timestamp"],
];

/** The columns of `interactions` (section 2.5) except the level, whose name depends on the line. */
const INTERACTION_COLUMNS = ["id", "user_id", "success", "response_time_ms", "timestamp"] as const;

/** Allowed values of the columns of `interactions`. @param level the name of the level column in the file. */
function interactionRules(level: string): Record<string, ValueRule> {
  const storage = "R-2.5/storage-classes";
  const negative = (value: unknown): boolean => (typeof value === "number" || typeof value === "bigint") && value < 0;
  return {
    id: integerRule("R-2.5/id.primary-key", storage),
    user_id: idRule("R-2.5/user-id.text", "R-2.5/user-id.required"),
    [level]: levelRule("R-2.5/level.required"),
    success: booleanRule("R-2.5/success.required", storage),
    response_time_ms: withRemark(
      realRule("R-2.5/response-time.optional", storage, "U-range"),
      negative,
      "U-range",
      "a time of at least 0",
    ),
    timestamp: momentRule("R-4.2/timestamp", "U-timestamp-zone", {
      wanted: "UTC as YYYY-MM-DD HH:MM:SS",
      fits: ({ space, zone }) => space && !zone,
    }),
  };
}

/** Allowed values of the side table of the metadata, which a ruling defines. */
const METADATA_RULES: Record<string, ValueRule> = {
  metadata: (value) => {
    const fault = jsonRule("U-metadata-storage", "a JSON object", isJsonObject)(value);
    return fault && { ...fault, level: "remark" };
  },
};

/** Trial rows for `interactions`. A recorded success is reused, because a table may allow no other form of it. */
function interactionTrial(table: DatabaseObject, level: string, mark: string): Trial {
  const digits = `00${mark.replaceAll(/\D/g, "").slice(0, 13)}`;
  return {
    table,
    row: {
      user_id: `'${mark}'`,
      [level]: "3",
      success: `coalesce((SELECT "success" FROM ${quoteName(table.name)} LIMIT 1), 1)`,
    },
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
    key: { requirement: "R-2.5/id.primary-key", others: { user_id: `'${mark} other'`, [level]: "2" } },
    equals: {
      requirement: "R-2.5/id.generated",
      ids: [],
      optional: { response_time_ms: "1.5", timestamp: "'2025-01-01 00:00:00'" },
    },
    kept: [
      {
        column: "user_id",
        sql: `'${digits}'`,
        requirement: "R-2.5/user-id.text",
        wanted: "text of digits as text",
        fits: (value) => value === digits,
      },
      ...[1, 2, 3, 4, 5].map((wanted) => ({
        column: level,
        sql: String(wanted),
        requirement: "R-2.5/levels",
        wanted: `the level ${wanted}`,
        fits: (value: StoredValue) =>
          (typeof value === "number" || typeof value === "bigint") && Number(value) === wanted,
        unbounded: true,
      })),
    ],
    optional: "R-2.5/response-time.optional",
  };
}

/** Columns of every metrics table of older programs. */
const COLUMNS = ["id", "user_id", "success", "response_time_ms", "timestamp"];

/**
 * The table `metrics` in a field layout, not a foreign table of this name; under the name `metrics_new` if a program
 * that rebuilt it was killed before the last step. No older program wrote a column `level`.
 */
export function olderMetrics(objects: Map<string, DatabaseObject>): DatabaseObject | undefined {
  const table = objects.get("metrics") ?? objects.get("metrics_new");
  return isMetrics(table) && !table.columns.has("level") ? table : undefined;
}

/** The table `metrics` with the columns of `interactions` in 16: described columns in a table with another name. */
export function misnamedMetrics(objects: Map<string, DatabaseObject>): DatabaseObject | undefined {
  const table = objects.get("metrics");
  return isMetrics(table) && table.columns.has("level") ? table : undefined;
}

function isMetrics(table: DatabaseObject | undefined): table is DatabaseObject {
  return table?.kind === "a table" && COLUMNS.every((column) => table.columns.has(column));
}

/** Description of a table `metrics` of an older program, for an operator. */
function olderMetricsWords(objects: Map<string, DatabaseObject>): string {
  const levels = objects.get("metrics")?.columns.has("empathy_level") === true;
  if (levels && objects.has("metrics_new"))
    return "the tables metrics and metrics_new: this looks like a pre-16 metrics database that a newer program began to rebuild and did not finish; migrate it before any program opens it";
  if (levels)
    return "the table metrics with empathy_level: this looks like a pre-16 metrics database of an older program; migrate it before a program of 15 or later opens it, which would drop the levels";
  if (!objects.has("metrics"))
    return "the table metrics_new without metrics: this looks like a pre-16 metrics database that a newer program began to rebuild and did not finish; migrate it; it does not contain the levels";
  return "the table metrics without a level: this looks like a metrics database that an older program of 15 or later wrote or opened, which kept no levels; migrate it; it does not contain the levels";
}

/** True for a table `interactions` of this layer, complete or not; false for a foreign table of this name. */
export function isInteractions(table: DatabaseObject | undefined): boolean {
  if (table === undefined || table.kind !== "a table") return table !== undefined;
  return (
    ["user_id", "level", "empathy_level", "response_time_ms"].filter((column) => table.columns.has(column)).length >= 2
  );
}
