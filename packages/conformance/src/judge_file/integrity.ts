import { brokenIntegrity, isAboutDatabase, portable, type ScratchDatabase } from "../inspect/database_copy.ts";
import { quoteName, type DatabaseObject } from "./database_objects.ts";
import type { Difference, FindingList } from "./finding_list.ts";
import { suiteText } from "../inspect/suite_text.ts";

/** Reports an error of SQLite as a finding about the judged file. @returns false if there was one. */
export function reportSqliteErrors(list: FindingList, at: string, wanted: string, judge: () => void): boolean {
  try {
    judge();
    return true;
  } catch (error) {
    if (!isAboutDatabase(error)) throw error;
    list.error(undefined, { at, wanted, got: suiteText(error.message) });
    return false;
  }
}

/**
 * Checks the integrity of the file with SQLite. @returns false if it is damaged, so that none of its content is
 * reliable.
 */
export function judgeIntegrity(copy: ScratchDatabase, list: FindingList): boolean {
  return (
    reportSqliteErrors(list, "", "an intact SQLite database", () => {
      for (const message of brokenIntegrity(copy))
        list.error(undefined, { at: "", wanted: "an intact SQLite database", got: suiteText(message) });
    }) && list.all().length === 0
  );
}

/**
 * Reports rows of a table that refer to missing rows.
 * @param report takes a finding: as an error or a remark, with its requirement.
 */
export function judgeForeignKeys(
  copy: ScratchDatabase,
  table: DatabaseObject,
  report: (difference: Difference) => void,
): void {
  const { name } = table;
  try {
    for (const [, row, parent] of copy.each(`PRAGMA foreign_key_check(${quoteName(name)})`)) {
      const cell = { table: name, ...(row === null ? {} : { row: portable(row) }) };
      report({
        at: `${name}, row ${row ?? "without an id"}`,
        wanted: "an existing row that the foreign key references",
        got: suiteText(`no such row in ${parent}`),
        cell,
      });
    }
  } catch (error) {
    if (!isAboutDatabase(error)) throw error;
    report({ at: name, wanted: "valid foreign keys", got: suiteText(error.message), cell: { table: name } });
  }
}
