import { randomUUID } from "node:crypto";
import type { ScratchDatabase } from "../inspect/database_copy.ts";
import type { Finding } from "../inspect/findings.ts";
import { objectsOf, tableNamed } from "./database_objects.ts";
import type { DatabaseObject } from "./database_objects.ts";
import { FindingList } from "./finding_list.ts";
import { isWritable, judgeConstraints, tryOut, withoutTriggers } from "./judge_constraints.ts";
import { insertion, judgeColumns, judgeForeignKey, judgeIndex, requireTable } from "./judge_layout.ts";
import { judgeRows } from "./judge_rows.ts";
import { PATTERN_INDEXES, PATTERN_RULES, USAGE_RULES, patternTrial, usageTrial } from "./patterns_layout.ts";
import { answering, judgeForeignKeys, judgeIntegrity } from "./soundness.ts";
import { words } from "./words.ts";

/**
 * Judges the tables of a pattern database (sections 2.1 to 2.3). Both lines share the layout; other tables, columns and
 * spellings are nobody's business.
 * @param copy from `openCopy`: rows are tried out in it, and taken back.
 * @returns what is wrong and where; an empty list for a database without fault.
 * @example const copy = openCopy("patterns.db", scratch); judgePatternsDatabase(copy);
 */
export function judgePatternsDatabase(copy: ScratchDatabase): Finding[] {
  const list = new FindingList();
  if (judgeIntegrity(copy, list)) answering(list, "", "a database that can be read", () => judgeTables(copy, list));
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
    answering(list, "patterns", "rows that can be read", () =>
      judgeRows(copy, patterns, PATTERN_RULES, { level: "error", requirement: "R-2.1/text" }, list),
    );
  }
  if (usage) {
    judgeColumns(usage, Object.keys(USAGE_RULES), "R-2.2/columns", list);
    judgeForeignKey(copy, usage, { from: "pattern_id", table: "patterns", to: "id" }, "R-2.2/foreign-key", list);
    judgeForeignKeys(copy, usage, (difference) => list.error("R-2.2/foreign-key", difference));
    answering(list, "pattern_usage", "rows that can be read", () =>
      judgeRows(copy, usage, USAGE_RULES, { level: "error", requirement: "R-2.2/columns" }, list),
    );
  }
  withoutTriggers(copy, () => tryRows(copy, objects, list));
}

/** Older programs made the same table without any index. */
function judgeAge(copy: ScratchDatabase, table: DatabaseObject, list: FindingList): void {
  const whole = Object.keys(PATTERN_RULES).every((column) => table.columns.has(column));
  if (!whole || copy.rows("SELECT 1 FROM pragma_index_list(?) WHERE origin = 'c'", table.name).length > 0) return;
  list.remark("U-legacy-layouts", {
    at: table.name,
    wanted: "indexes",
    got: words("none: this looks like a pattern database of an older program, which made no indexes"),
    cell: { table: table.name },
  });
}

function tryRows(copy: ScratchDatabase, objects: Map<string, DatabaseObject>, list: FindingList): void {
  const patterns = tableNamed(objects, "patterns");
  const usage = tableNamed(objects, "pattern_usage");
  const mark = `perdura-conformance ${randomUUID()}`;
  if (!patterns) return;
  const pattern = patternTrial(patterns, mark);
  answering(list, "patterns", "rows that can be inserted", () => judgeConstraints(copy, pattern, list));
  if (!usage || !isWritable(pattern)) return;
  // Without a pattern of that id every usage row would be refused, for another reason than the one that is asked for.
  answering(list, "pattern_usage", "rows that can be inserted", () => {
    tryOut(copy, [insertion(patterns, pattern.row)], () => judgeConstraints(copy, usageTrial(usage, mark), list));
  });
}
