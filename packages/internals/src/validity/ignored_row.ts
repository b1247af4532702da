import { StorageError } from "../errors/errors.ts";
import type { Database } from "../sqlite/open_database.ts";

/** SQLite left out a row that version 15 or 16 inserts, changes or deletes, and reported no error. */
export class IgnoredRow extends StorageError {
  /** The cause, without a full stop. */
  readonly fault: string;
  readonly wayOut: string;

  /**
   * @param path Path of the database, for the message.
   * @param fate State of the data, as a sentence.
   */
  constructor(database: Database, table: string, path: string, fate: string = "Nothing was written.") {
    const [fault, wayOut] = causeOf(database, table);
    super(`${fault}. ${fate} ${wayOut}`, { path });
    this.fault = fault;
    this.wayOut = wayOut;
  }
}

/** SQLite does not report the cause, but only triggers and conflict clauses can be it. */
function causeOf(database: Database, table: string): [fault: string, wayOut: string] {
  const { isOfTrigger, isOfClause } = possibleCauses(database, table);
  if (isOfTrigger && !isOfClause)
    return [`a trigger on the table ${table} ignored the row`, "Drop the trigger, or let it accept such rows."];
  if (isOfClause && !isOfTrigger)
    return [
      `a constraint of the table ${table} with ON CONFLICT IGNORE ignored the row`,
      "Create the table again without that constraint.",
    ];
  return [
    `a trigger on the table ${table}, or a constraint of the table with ON CONFLICT IGNORE, ignored the row`,
    "Drop the trigger, or create the table again without that constraint.",
  ];
}

/** True if a trigger or a conflict clause can make SQLite leave out rows of a table. */
export function mayIgnoreRows(database: Database, table: string): boolean {
  const { isOfTrigger, isOfClause } = possibleCauses(database, table);
  return isOfTrigger || isOfClause;
}

function possibleCauses(database: Database, table: string): { isOfTrigger: boolean; isOfClause: boolean } {
  const triggers = database
    .prepare("SELECT sql FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE")
    .pluck()
    .all(table) as string[];
  return {
    isOfTrigger: triggers.some((sql) => RAISES.test(sql)),
    isOfClause: hasConflictClause(database, table, "IGNORE"),
  };
}

const RAISES = /\braise\b/i;

/** True if a constraint of a table has this conflict clause, in which SQLite treats comments as blanks. */
export function hasConflictClause(database: Database, table: string, action: "IGNORE" | "REPLACE"): boolean {
  const sql = database
    .prepare("SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE")
    .pluck()
    .get(table);
  return typeof sql === "string" && CLAUSES[action].test(sql);
}

const BLANK = String.raw`(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)+`;

const clause = (action: string): RegExp => new RegExp(["\\bon", "conflict", `${action}\\b`].join(BLANK), "i");

const CLAUSES = { IGNORE: clause("ignore"), REPLACE: clause("replace") };
