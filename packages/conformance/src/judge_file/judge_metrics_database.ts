import { randomUUID } from "node:crypto";
import type { ScratchDatabase } from "../inspect/database_copy.ts";
import type { Finding } from "../inspect/findings.ts";
import { objectsOf, tableNamed } from "./database_objects.ts";
import type { DatabaseObject } from "./database_objects.ts";
import type { Line } from "./file_report.ts";
import { FindingList } from "./finding_list.ts";
import {
  INTERACTION_COLUMNS,
  INTERACTION_INDEXES,
  LEVEL_COLUMN,
  METADATA_RULES,
  interactionRules,
  interactionTrial,
} from "./interactions_layout.ts";
import { judgeConstraints, withoutTriggers } from "./judge_constraints.ts";
import { judgeColumns, judgeIndex, requireTable } from "./judge_layout.ts";
import { judgeRows } from "./judge_rows.ts";
import { olderMetrics, olderMetricsWords } from "./older_metrics.ts";
import { answering, judgeForeignKeys, judgeIntegrity } from "./soundness.ts";
import { words } from "./words.ts";

/**
 * Judges the tables of a metrics database (sections 2.3 and 2.5) by one line: they differ in the name of the level.
 * @param copy from `openCopy`: rows are tried out in it, and taken back.
 * @returns what is wrong and where; an empty list for a database without fault.
 * @example const copy = openCopy("metrics.db", scratch); judgeMetricsDatabase(copy, "16");
 */
export function judgeMetricsDatabase(copy: ScratchDatabase, line: Line): Finding[] {
  const list = new FindingList();
  if (judgeIntegrity(copy, list))
    answering(list, "", "a database that can be read", () => judgeTables(copy, line, list));
  return list.all();
}

function judgeTables(copy: ScratchDatabase, line: Line, list: FindingList): void {
  const objects = objectsOf(copy);
  judgeOlderTable(objects, list);
  if (!objects.has("interactions") && olderMetrics(objects) !== undefined) return;
  const interactions = requireTable(objects, "interactions", LEVEL_COLUMN[line].columns, list);
  if (interactions) judgeInteractions(copy, interactions, line, list);
  const metadata = tableNamed(objects, "interaction_metadata");
  if (!metadata) return;
  answering(list, metadata.name, "rows that can be read", () =>
    judgeRows(copy, metadata, METADATA_RULES, { level: "remark", requirement: "U-metadata-storage" }, list),
  );
  judgeForeignKeys(copy, metadata, (difference) => list.remark("U-metadata-storage", difference));
}

/** Tables of older programs hold a user's history under other names. */
function judgeOlderTable(objects: Map<string, DatabaseObject>, list: FindingList): void {
  const table = olderMetrics(objects);
  if (table === undefined) return;
  const found = { at: table.name, got: words(olderMetricsWords(objects)), cell: { table: table.name } };
  if (objects.has("interactions"))
    list.remark("U-legacy-layouts", { ...found, wanted: "no older table beside interactions: its rows are not read" });
  else list.error("U-legacy-layouts", { ...found, wanted: "the table interactions" });
}

function judgeInteractions(copy: ScratchDatabase, table: DatabaseObject, line: Line, list: FindingList): void {
  judgeColumns(table, INTERACTION_COLUMNS, LEVEL_COLUMN[line].columns, list);
  const level = judgeLevelColumn(table, line, list);
  if (table.columns.has("metadata"))
    list.remark("U-metadata-storage", {
      at: `${table.name}.metadata`,
      wanted: "metadata in the side table interaction_metadata",
      got: words("a column"),
      cell: { table: table.name, column: "metadata" },
    });
  for (const [index, column, requirement] of INTERACTION_INDEXES)
    judgeIndex(copy, table, index, column, requirement, list);
  answering(list, table.name, "rows that can be read", () =>
    judgeRows(copy, table, interactionRules(level), { level: "error", requirement: "R-2.5/storage-classes" }, list),
  );
  answering(list, table.name, "rows that can be inserted", () =>
    withoutTriggers(copy, () =>
      judgeConstraints(copy, interactionTrial(table, level, `perdura-conformance ${randomUUID()}`), list),
    ),
  );
}

/** The level column of this line must be there, and that of the other line must not. @returns the one to judge by. */
function judgeLevelColumn(table: DatabaseObject, line: Line, list: FindingList): string {
  const { name, columns, naming } = LEVEL_COLUMN[line];
  const other = LEVEL_COLUMN[line === "15" ? "16" : "15"].name;
  const otherLine =
    line === "16"
      ? `empathy_level: this looks like a metrics database of before 16; it needs migrating`
      : "level: this looks like a metrics database of 16, which programs before 16 cannot use";
  if (table.columns.has(other)) {
    const got = table.columns.has(name) ? `both level and empathy_level` : otherLine;
    list.error(naming, {
      at: `${table.name}.${other}`,
      wanted: `the column ${name} and no ${other} (line ${line})`,
      got: words(got),
      cell: { table: table.name, column: other },
    });
    return table.columns.has(name) ? name : other;
  }
  judgeColumns(table, [name], columns, list);
  return name;
}
