import { isConstraint, isFull, portable } from "../inspect/database_copy.ts";
import type { ScratchDatabase, StoredValue } from "../inspect/database_copy.ts";
import { quoteName } from "./database_objects.ts";
import type { DatabaseObject } from "./database_objects.ts";
import { suiteText } from "./finding_list.ts";
import type { FindingList } from "./finding_list.ts";
import { insertion } from "./judge_layout.ts";

/** The expected value of a column in a row that was inserted without it. */
export interface DefaultValue {
  column: string;
  requirement: string;
  wanted: string;
  fits(value: StoredValue): boolean;
}

/** Inserts that show the constraints and defaults of a table. */
export interface Trial {
  table: DatabaseObject;
  /** The required columns, each with SQL for a value. */
  row: Record<string, string>;
  /** SQL condition that selects the row. */
  where: string;
  /** The requirement of each required column. */
  required: Record<string, string>;
  defaults: DefaultValue[];
  /** The requirement of unique ids. */
  key: string;
  /** The requirement that the other columns are optional. */
  optional: string;
}

/**
 * Judges a table by its behaviour, on the copy and rolled back at once: it must accept rows with only the required
 * columns and fill in their defaults, and refuse rows without a required value and rows with an existing id.
 */
export function judgeConstraints(copy: ScratchDatabase, trial: Trial, list: FindingList): void {
  const { table, row } = trial;
  if (!isWritable(trial)) return;
  const refusal = runAndRollBack(copy, [insertion(table, row)]);
  if (refusal !== undefined) {
    judgeRefusal(refusal, trial, list);
    return;
  }
  judgeDefaults(copy, trial, list);
  for (const [column, requirement] of Object.entries(trial.required)) {
    const difference = {
      at: `${table.name}.${column}`,
      cell: { table: table.name, column },
      got: suiteText("accepted"),
    };
    const { [column]: _left, ...others } = row;
    if (runAndRollBack(copy, [insertion(table, { ...row, [column]: "NULL" })]) === undefined)
      list.error(requirement, { ...difference, wanted: `a row with NULL for ${column} is refused` });
    else if (runAndRollBack(copy, [insertion(table, others)]) === undefined)
      list.remark(requirement, {
        ...difference,
        wanted: `a row without ${column} is refused, because ${column} has no default`,
      });
  }
  const twin = row.id === undefined ? { ...row, id: "(SELECT id FROM temp.scratch_row)" } : row;
  const twice = [insertion(table, row), ...rememberId(table, trial.where), insertion(table, twin)];
  if (runAndRollBack(copy, twice) === undefined)
    list.error(trial.key, {
      at: `${table.name}.id`,
      wanted: "a second row with the same id is refused",
      got: suiteText("accepted"),
      cell: { table: table.name, column: "id" },
    });
}

/** True if the table has all columns that a trial fills. */
export function isWritable({ table, row }: Trial): boolean {
  return [...Object.keys(row), "id"].every((column) => table.columns.get(column)?.computed === false);
}

/** Keeps the generated id while another row is inserted with it. */
function rememberId(table: DatabaseObject, where: string): string[] {
  return [
    "DROP TABLE IF EXISTS temp.scratch_row",
    `CREATE TEMP TABLE scratch_row AS SELECT id FROM main.${quoteName(table.name)} WHERE ${where}`,
  ];
}

/** SQLite's error for a row that it refuses. */
type Refusal = Pick<Error & { code: string }, "code" | "message">;

/**
 * Runs statements and rolls them back.
 * @returns the error of the constraint that refused one, or undefined. A table without free ids refuses rows, too.
 */
export function runAndRollBack(copy: ScratchDatabase, statements: string[], look?: () => void): Refusal | undefined {
  copy.run("SAVEPOINT trial");
  try {
    for (const statement of statements) copy.run(statement);
    look?.();
    return undefined;
  } catch (error) {
    if (!isConstraint(error) && !isFull(error)) throw error;
    return error;
  } finally {
    copy.run("ROLLBACK TO trial");
    copy.run("RELEASE trial");
  }
}

/** SQLite's codes for the constraints of the specification. */
const RESTRICTED: ReadonlySet<string> = new Set(
  ["NOTNULL", "UNIQUE", "PRIMARYKEY", "ROWID"].map((kind) => `SQLITE_CONSTRAINT_${kind}`),
);

function judgeRefusal({ code, message }: Refusal, { table, optional }: Trial, list: FindingList): void {
  const difference = {
    at: table.name,
    wanted: `a row of ${table.name} with only the required columns is accepted`,
    got: suiteText(message),
    cell: { table: table.name },
  };
  // Another check or foreign key may refuse only the values of the trial, which the specification does not restrict.
  if (RESTRICTED.has(code)) list.error(optional, difference);
  else list.remark(optional, difference);
}

function judgeDefaults(copy: ScratchDatabase, { table, row, where, defaults }: Trial, list: FindingList): void {
  const known = defaults.filter(({ column }) => table.columns.get(column)?.computed === false);
  const columns = known.map(({ column }) => quoteName(table.columns.get(column)?.name as string));
  if (columns.length === 0) return;
  runAndRollBack(copy, [insertion(table, row)], () => {
    for (const values of copy.each(`SELECT ${columns.join(", ")} FROM ${quoteName(table.name)} WHERE ${where}`))
      for (const [index, { column, requirement, wanted, fits }] of known.entries())
        if (!fits(values[index] as StoredValue))
          list.error(requirement, {
            at: `${table.name}.${column}`,
            wanted: `${column} of a new row: ${wanted}`,
            got: portable(values[index]),
            cell: { table: table.name, column },
          });
  });
}

/** Maximum time between an insert and the check of its timestamp. */
const RECENT_MS = 60_000;

/** True for the text of the current time, in UTC or in local time, because no zone is stated. */
export function isNow(value: StoredValue): boolean {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/.test(value)) return false;
  const iso = value.replace(" ", "T");
  return [iso, `${iso}Z`].some((text) => Math.abs(Date.parse(text) - Date.now()) < RECENT_MS);
}

/** Runs a judgement without the triggers of the database. */
export function withoutTriggers(copy: ScratchDatabase, judge: () => void): void {
  copy.run("BEGIN");
  try {
    for (const { name } of copy.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'"))
      copy.run(`DROP TRIGGER ${quoteName(String(name))}`);
    judge();
  } finally {
    copy.run("ROLLBACK");
  }
}
