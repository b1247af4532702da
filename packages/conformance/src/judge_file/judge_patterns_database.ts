import { randomUUID } from "node:crypto";
import type { ScratchDatabase, StoredValue } from "../inspect/database_copy.ts";
import type { Finding } from "../inspect/findings.ts";
import { objectsOf, quoteName, tableNamed, type DatabaseObject } from "./database_objects.ts";
import { FindingList } from "./finding_list.ts";
import { suiteText } from "../inspect/suite_text.ts";
import {
  isNow,
  isWritable,
  judgeConstraints,
  runAndRollBack,
  withoutTriggers,
  type DefaultValue,
  type KeptValue,
  type Trial,
} from "./judge_constraints.ts";
import { insertion, judgeColumns, judgeForeignKey, judgeIndex, requireTable } from "./judge_layout.ts";
import { judgeRows, type ValueRule } from "./judge_rows.ts";
import { reportSqliteErrors, judgeForeignKeys, judgeIntegrity } from "./integrity.ts";
import {
  booleanRule,
  idRule,
  integerRule,
  isJsonObject,
  isStringArray,
  jsonRule,
  momentRule,
  realRule,
  textRule,
} from "./value_rules.ts";

/**
 * Judges the tables of a pattern database (sections 2.1 to 2.3). Both lines share the layout; other tables, columns and
 * spellings are not judged.
 * @param copy from `openCopy`: trial rows are inserted and rolled back.
 * @param list collects the findings, and the requirements that were judged.
 * @returns the findings; an empty list for a correct database.
 * @example const copy = openCopy("patterns.db", scratch); judgePatternsDatabase(copy);
 */
export function judgePatternsDatabase(copy: ScratchDatabase, list: FindingList = new FindingList()): Finding[] {
  if (judgeIntegrity(copy, list)) reportSqliteErrors(list, "", "a readable database", () => judgeTables(copy, list));
  return list.all();
}

function judgeTables(copy: ScratchDatabase, list: FindingList): void {
  const objects = objectsOf(copy);
  const patterns = requireTable(objects, "patterns", "R-4.1/tables", list);
  const usage = requireTable(objects, "pattern_usage", "R-4.1/tables", list);
  if (patterns) {
    judgeColumns(patterns, Object.keys(PATTERN_RULES), "R-2.1/fields.sqlite", list);
    for (const [index, column, requirement] of PATTERN_INDEXES)
      judgeIndex(copy, patterns, index, column, requirement, list);
    judgeAge(copy, patterns, list);
    reportSqliteErrors(list, "patterns", "rows that can be read", () =>
      judgeRows(copy, patterns, PATTERN_RULES, { level: "error", requirement: "R-2.1/text" }, list),
    );
  }
  if (usage) {
    judgeColumns(usage, Object.keys(USAGE_RULES), "R-2.2/columns", list);
    judgeForeignKey(copy, usage, { from: "pattern_id", table: "patterns", to: "id" }, "R-2.2/foreign-key", list);
    judgeForeignKeys(copy, usage, (difference) => list.error("R-2.2/foreign-key", difference));
    reportSqliteErrors(list, "pattern_usage", "rows that can be read", () =>
      judgeRows(copy, usage, USAGE_RULES, { level: "error", requirement: "R-2.2/columns" }, list),
    );
  }
  withoutTriggers(copy, () => tryRows(copy, objects, list));
}

/** Older programs created the same table without any index. */
function judgeAge(copy: ScratchDatabase, table: DatabaseObject, list: FindingList): void {
  const whole = Object.keys(PATTERN_RULES).every((column) => table.columns.has(column));
  if (!whole || copy.rows("SELECT 1 FROM pragma_index_list(?) WHERE origin = 'c'", table.name).length > 0) return;
  list.remark("U-legacy-layouts", {
    at: table.name,
    wanted: "indexes",
    got: suiteText("none: this looks like a pattern database of an older program, which created no indexes"),
    cell: { table: table.name },
  });
}

function tryRows(copy: ScratchDatabase, objects: Map<string, DatabaseObject>, list: FindingList): void {
  const patterns = tableNamed(objects, "patterns");
  const usage = tableNamed(objects, "pattern_usage");
  const mark = `perdura-conformance ${randomUUID()}`;
  if (!patterns) return;
  const pattern = patternTrial(patterns, mark);
  reportSqliteErrors(list, "patterns", "rows that can be inserted", () => judgeConstraints(copy, pattern, list));
  if (!usage) return;
  const trial = usageTrial(usage, mark);
  reportSqliteErrors(list, "pattern_usage", "rows that can be inserted", () => {
    // Without patterns of these ids, the foreign key would refuse every usage row, not the constraint that is being
    // tested.
    const ids = [`'${mark}'`, `'${digitsOf(mark)}'`];
    const insertions = ids.map((id) => insertion(patterns, { ...pattern.row, id }));
    const judge = (): void => judgeConstraints(copy, trial, list);
    const refusal = isWritable(pattern) ? runAndRollBack(copy, insertions, judge) : undefined;
    if (refusal !== undefined) judgeConstraints(copy, withExistingPattern(trial, patterns), list);
  });
}

/** A trial with a pattern of the file, for a table that refuses the patterns of the trial. */
function withExistingPattern(trial: Trial, patterns: DatabaseObject): Trial {
  const id = `(SELECT ${quoteName("id")} FROM ${quoteName(patterns.name)} LIMIT 1)`;
  const kept = trial.kept.filter(({ column }) => column !== "pattern_id");
  return { ...trial, kept, row: { ...trial.row, pattern_id: `coalesce(${id}, ${trial.row.pattern_id})` } };
}

const FIELDS = "R-2.1/fields.sqlite";
const counts = integerRule("R-2.1/counts.integer", "R-2.1/storage-classes", "U-json-shape");
/** Section 2.1 states the form of these timestamps in JSON, not in SQLite. */
const moment = momentRule(FIELDS, "U-timestamps-sqlite", {
  ruling: "U-timestamps",
  wanted: "a timestamp without a zone and with at most six fractional digits",
  fits: ({ zone, fraction }) => !zone && fraction <= 6,
});

/** The columns of `patterns` (section 2.1) with their allowed values. */
const PATTERN_RULES: Record<string, ValueRule> = {
  id: idRule("R-2.1/text", "R-2.1/id.primary-key"),
  agent_id: idRule("R-2.1/text", "R-2.1/agent-id.required"),
  pattern_type: textRule("R-2.1/text", "R-2.1/pattern-type.required"),
  name: textRule("R-2.1/text", "R-2.1/name.required"),
  description: textRule("R-2.1/text"),
  context: jsonRule("R-2.1/context.sqlite-text", "a JSON object", isJsonObject),
  code: textRule("R-2.1/text"),
  confidence: realRule("R-2.1/confidence.real", "R-2.1/storage-classes", "U-nonfinite"),
  usage_count: counts,
  success_count: counts,
  failure_count: counts,
  tags: jsonRule("R-2.1/tags.sqlite-text", "a JSON array of strings", isStringArray),
  discovered_at: moment,
  last_used: moment,
  updated_at: momentRule(FIELDS, "U-timestamps"),
};

/** The columns of `pattern_usage` (section 2.2) with their allowed values. */
const USAGE_RULES: Record<string, ValueRule> = {
  id: integerRule("R-2.2/id.primary-key", "U-usage-table"),
  pattern_id: idRule("R-2.2/pattern-id.required", "R-2.2/pattern-id.required"),
  agent_id: idRule("R-2.2/agent-id.required", "R-2.2/agent-id.required"),
  success: booleanRule("R-2.2/success.required", "U-usage-table"),
  used_at: momentRule("R-2.2/columns", "U-usage-table"),
};

/** Index, column and requirement (section 2.3). */
const PATTERN_INDEXES: readonly (readonly [string, string, string])[] = [
  ["idx_patterns_agent", "agent_id", "R-2.3/patterns.agent"],
  ["idx_patterns_type", "pattern_type", "R-2.3/patterns.type"],
  ["idx_patterns_confidence", "confidence", "R-2.3/patterns.confidence"],
];

const isNothing = (value: StoredValue): boolean => value === null;
const nothing = (column: string): DefaultValue => ({
  column,
  requirement: "R-2.1/none.default",
  wanted: "no value",
  fits: isNothing,
});
const number = (column: string, wanted: number, requirement: string): DefaultValue => ({
  column,
  requirement,
  wanted: String(wanted),
  fits: (value) => (typeof value === "number" || typeof value === "bigint") && Number(value) === wanted,
});

/** A text of digits that differs from other trials. */
const digitsOf = (mark: string): string => `00${mark.replaceAll(/\D/g, "").slice(0, 13)}`;

/** A text that a column with the type of a number would convert. */
const keptText = (column: string, text: string, requirement: string): KeptValue => ({
  column,
  sql: `'${text}'`,
  requirement,
  wanted: "text of digits as text",
  fits: (value) => value === text,
});
const keptNumber = (column: string, wanted: number, requirement: string): KeptValue => ({
  column,
  sql: String(wanted),
  requirement,
  wanted: String(wanted),
  fits: (value) => (typeof value === "number" || typeof value === "bigint") && Number(value) === wanted,
  unbounded: true,
});

/** Trial rows for `patterns`. They reuse values of existing rows, if any, because a table may allow no others. */
function patternTrial(table: DatabaseObject, mark: string): Trial {
  const known = (column: string): string =>
    `coalesce((SELECT ${quoteName(column)} FROM ${quoteName(table.name)} WHERE typeof(${quoteName(column)}) = 'text' LIMIT 1), '${mark}')`;
  const digits = digitsOf(mark);
  return {
    table,
    row: { id: `'${mark}'`, agent_id: known("agent_id"), pattern_type: known("pattern_type"), name: `'${mark}'` },
    where: `id = '${mark}'`,
    required: {
      agent_id: "R-2.1/agent-id.required",
      pattern_type: "R-2.1/pattern-type.required",
      name: "R-2.1/name.required",
    },
    defaults: [
      ...["description", "context", "code", "tags", "discovered_at", "last_used"].map(nothing),
      number("confidence", 0.5, "R-2.1/confidence.default"),
      ...["usage_count", "success_count", "failure_count"].map((column) => number(column, 0, "R-2.1/counts.default")),
      { column: "updated_at", requirement: "R-2.1/updated-at.default", wanted: "the current time", fits: isNow },
    ],
    key: {
      requirement: "R-2.1/id.primary-key",
      others: { agent_id: `'${mark} other'`, pattern_type: `'${mark} other'`, name: "'other'" },
    },
    // Ids that differ only in case, or in a blank at the end, are different.
    equals: {
      requirement: "R-4.1/save-to-sqlite",
      ids: [`'${mark.toUpperCase()}'`, `'${mark} '`],
      optional: {
        description: "'text'",
        context: "'{}'",
        code: "'text'",
        tags: "'[]'",
        discovered_at: "'2025-01-01T00:00:00'",
        last_used: "'2025-01-01T00:00:00'",
        updated_at: "'2025-01-01 00:00:00'",
      },
    },
    kept: [
      ...["id", "agent_id", "pattern_type", "name", "description", "code"].map((column) =>
        keptText(column, digits, "R-2.1/text"),
      ),
      ...[-1, 0.25, 2.5].map((value) => keptNumber("confidence", value, "R-2.1/confidence.real")),
      ...["usage_count", "success_count", "failure_count"].map((column) =>
        keptNumber(column, 3_000_000_000, "R-2.1/counts.integer"),
      ),
    ],
    optional: "R-2.1/optional",
  };
}

/** Trial rows for `pattern_usage`, with an existing pattern. */
function usageTrial(table: DatabaseObject, mark: string): Trial {
  return {
    table,
    row: {
      pattern_id: `'${mark}'`,
      agent_id: `'${mark}'`,
      success: `coalesce((SELECT "success" FROM ${quoteName(table.name)} LIMIT 1), 1)`,
    },
    where: `agent_id = '${mark}'`,
    required: {
      pattern_id: "R-2.2/pattern-id.required",
      agent_id: "R-2.2/agent-id.required",
      success: "R-2.2/success.required",
    },
    defaults: [
      {
        column: "id",
        requirement: "R-2.2/id.generated",
        wanted: "a generated integer",
        fits: (value) => typeof value === "bigint",
      },
      { column: "used_at", requirement: "R-2.2/used-at.default", wanted: "the current time", fits: isNow },
    ],
    key: { requirement: "R-2.2/id.primary-key", others: { agent_id: `'${mark} other'` } },
    equals: { requirement: "R-2.2/id.generated", ids: [], optional: { used_at: "'2025-01-01 00:00:00'" } },
    kept: [
      keptText("agent_id", digitsOf(mark), "R-2.2/types"),
      // The foreign key refuses a number instead of the text.
      { ...keptText("pattern_id", digitsOf(mark), "R-2.2/types"), unbounded: true },
      ...["0", "1"].map((sql): KeptValue => ({
        column: "success",
        sql,
        requirement: "R-2.2/types",
        wanted: "a boolean as an integer",
        fits: (value) => value === BigInt(sql),
      })),
      {
        column: "used_at",
        sql: "'2025-01-01 00:00:00'",
        requirement: "R-2.2/types",
        wanted: "a timestamp",
        fits: (value) => value === "2025-01-01 00:00:00",
      },
    ],
    optional: "R-2.2/used-at.default",
  };
}
