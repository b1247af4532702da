import { isConstraint, isFull, portable } from "../inspect/database_copy.ts";
import type { ScratchDatabase, StoredValue } from "../inspect/database_copy.ts";
import { timestampFault } from "../matching/timestamp.ts";
import { quoteName } from "./database_objects.ts";
import type { DatabaseObject } from "./database_objects.ts";
import { suiteText } from "../inspect/suite_text.ts";
import type { Difference, FindingList } from "./finding_list.ts";
import { insertion } from "./judge_layout.ts";

/** The expected value of a column in a row that was inserted without it. */
export interface DefaultValue {
  column: string;
  requirement: string;
  wanted: string;
  fits(value: StoredValue): boolean;
}

/** A value that a column must hold unchanged. */
export interface KeptValue {
  column: string;
  /** SQL for the value. */
  sql: string;
  requirement: string;
  /** `remark` for the requirements of the level `should`. */
  level?: "error" | "remark";
  wanted: string;
  fits(value: StoredValue): boolean;
  /** True if the specification allows every value of the type, so that a check of the table may not refuse this one. */
  unbounded?: boolean;
}

/** SQL for the columns of a row. */
type Row = Readonly<Record<string, string>>;

/** Inserts that show the constraints and defaults of a table. */
export interface Trial {
  table: DatabaseObject;
  /** The required columns, each with SQL for a value. */
  row: Row;
  /** SQL condition that selects the row. */
  where: string;
  /** The requirement of each required column. */
  required: Record<string, string>;
  defaults: DefaultValue[];
  /** The requirement of unique ids, and other values for the required columns except the id. */
  key: { requirement: string; others: Row };
  /**
   * The requirement that rows may be equal except for the id, the ids of such rows (none if they are generated), and
   * values for their optional columns.
   */
  equals: { requirement: string; ids: readonly string[]; optional: Row };
  kept: KeptValue[];
  /** The requirement that the other columns are optional. */
  optional: string;
}

/**
 * Judges a table by its behaviour, on the copy and rolled back at once: it must accept rows with only the required
 * columns and fill in their defaults, keep values, accept rows that differ only in the id, and refuse rows without a
 * required value and rows with an existing id. Conflict clauses do not apply to the inserts.
 */
export function judgeConstraints(copy: ScratchDatabase, trial: Trial, list: FindingList): void {
  const { table, row } = trial;
  if (!isWritable(trial)) return;
  const refusal = runAndRollBack(copy, [insertion(table, row)]);
  list.judged(trial.optional);
  if (refusal !== undefined) {
    judgeRefusal(copy, refusal, trial, list);
    return;
  }
  judgeDefaults(copy, trial, list);
  judgeRequired(copy, trial, list);
  judgeKey(copy, trial, list);
  judgeEquals(copy, trial, list);
  judgeKept(copy, trial, list);
}

/** True if the table has all columns that a trial fills. */
export function isWritable({ table, row }: Trial): boolean {
  return [...Object.keys(row), "id"].every((column) => isOrdinary(table, column));
}

/** True for a column that exists and can be written. */
function isOrdinary(table: DatabaseObject, column: string): boolean {
  return table.columns.get(column)?.computed === false;
}

const ACCEPTED = "accepted";

/**
 * Reports a fault of a constraint or a default of a column. Triggers do not run, because they are not trusted: if one
 * of them mentions the column, it may do the same, and the fault is only a remark.
 */
function report(
  copy: ScratchDatabase,
  table: DatabaseObject,
  column: string,
  requirement: string,
  difference: Omit<Difference, "at" | "cell">,
  list: FindingList,
): void {
  const place = { at: `${table.name}.${column}`, cell: { table: table.name, column } };
  const triggers = copy.rows(
    "SELECT name FROM temp.dropped_trigger WHERE lower(tbl_name) = lower(?) AND instr(lower(sql), ?) > 0",
    table.name,
    column,
  );
  if (triggers.length === 0) list.error(requirement, { ...place, ...difference });
  else
    list.remark(requirement, {
      ...place,
      ...difference,
      got: suiteText(`not without the trigger ${String(triggers[0]?.name)}, which was not run`),
    });
}

function judgeRequired(copy: ScratchDatabase, { table, row, required }: Trial, list: FindingList): void {
  for (const [column, requirement] of Object.entries(required)) {
    list.judged(requirement);
    const { [column]: _left, ...others } = row;
    const got = suiteText(ACCEPTED);
    if (runAndRollBack(copy, [insertion(table, { ...row, [column]: "NULL" })]) === undefined)
      report(copy, table, column, requirement, { wanted: `a row with NULL for ${column} is refused`, got }, list);
    else if (runAndRollBack(copy, [insertion(table, others)]) === undefined)
      report(
        copy,
        table,
        column,
        requirement,
        { wanted: `a row without ${column} is refused, because ${column} has no default`, got },
        list,
      );
  }
}

/** A second row with the id is tried with equal and with different values, which a check may refuse. */
function judgeKey(copy: ScratchDatabase, { table, row, where, key }: Trial, list: FindingList): void {
  list.judged(key.requirement);
  const id = row.id ?? "(SELECT id FROM temp.scratch_row)";
  for (const others of [{}, key.others]) {
    const twice = [insertion(table, row), ...rememberId(table, where), insertion(table, { ...row, ...others, id })];
    if (runAndRollBack(copy, twice) !== undefined) continue;
    const difference = { wanted: "a second row with the same id is refused", got: suiteText(ACCEPTED) };
    report(copy, table, "id", key.requirement, difference, list);
    return;
  }
}

/** Keeps the generated id while another row is inserted with it. */
function rememberId(table: DatabaseObject, where: string): string[] {
  return [
    "DELETE FROM temp.scratch_row",
    `INSERT INTO temp.scratch_row SELECT id FROM main.${quoteName(table.name)} WHERE ${where}`,
  ];
}

/** A constraint or a unique index may not refuse rows that differ only in the id. */
function judgeEquals(copy: ScratchDatabase, trial: Trial, list: FindingList): void {
  const { table, equals } = trial;
  list.judged(equals.requirement);
  const whole = wholeRow(trial);
  const rows = equals.ids.length === 0 ? [whole, whole] : [whole, ...equals.ids.map((id) => ({ ...whole, id }))];
  const refusal = runAndRollBack(
    copy,
    rows.map((one) => insertion(table, one)),
  );
  if (refusal === undefined || !RESTRICTED.has(refusal.code)) return;
  list.error(equals.requirement, {
    at: table.name,
    wanted: `rows of ${table.name} that differ only in the id are accepted`,
    got: suiteText(refusal.message),
    cell: { table: table.name },
  });
}

/** The row of a trial with values for its optional columns. */
function wholeRow({ table, row, equals }: Trial): Row {
  const optional = Object.entries(equals.optional).filter(([column]) => isOrdinary(table, column));
  return { ...row, ...Object.fromEntries(optional) };
}

function judgeKept(copy: ScratchDatabase, { table, row, where, kept }: Trial, list: FindingList): void {
  for (const { column, sql, requirement, level = "error", wanted, fits, unbounded } of kept) {
    const name = table.columns.get(column)?.name;
    if (name === undefined || !isOrdinary(table, column)) continue;
    list.judged(requirement);
    const place = { at: `${table.name}.${column}`, cell: { table: table.name, column } };
    const selects = Object.hasOwn(row, column) && where.startsWith(`${column} =`) ? `${column} = ${sql}` : where;
    const refusal = runAndRollBack(copy, [insertion(table, { ...row, [column]: sql })], () => {
      for (const [value] of copy.each(`SELECT ${quoteName(name)} FROM ${quoteName(table.name)} WHERE ${selects}`))
        if (!fits(value as StoredValue))
          list[level](requirement, { ...place, wanted: `${column} keeps ${wanted}`, got: portable(value) });
    });
    if (refusal !== undefined && unbounded === true)
      list[level](requirement, { ...place, wanted: `${column} keeps ${wanted}`, got: suiteText(refusal.message) });
  }
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

function judgeRefusal(copy: ScratchDatabase, { code, message }: Refusal, trial: Trial, list: FindingList): void {
  const { table, optional } = trial;
  const difference = {
    at: table.name,
    wanted: `a row of ${table.name} with only the required columns is accepted`,
    got: suiteText(message),
    cell: { table: table.name },
  };
  // A check may require a value that is optional.
  const isRequired = runAndRollBack(copy, [insertion(table, wholeRow(trial))]) === undefined;
  if (RESTRICTED.has(code) || isRequired) {
    list.error(optional, difference);
    return;
  }
  // Another check or foreign key may refuse only the values of the trial, which the specification does not restrict.
  list.remark(optional, difference);
  for (const requirement of requirementsOf(trial)) list.judged(requirement);
}

/** The requirements that a trial judges. */
function requirementsOf({ required, defaults, key, equals, kept }: Trial): string[] {
  const ofColumns = [...defaults, ...kept].map(({ requirement }) => requirement);
  return [...Object.values(required), ...ofColumns, key.requirement, equals.requirement];
}

function judgeDefaults(copy: ScratchDatabase, { table, row, where, defaults }: Trial, list: FindingList): void {
  const known = defaults.filter(({ column }) => isOrdinary(table, column));
  const columns = known.map(({ column }) => quoteName(table.columns.get(column)?.name as string));
  const missing = defaults.filter((column) => !known.includes(column)).map(({ requirement }) => requirement);
  for (const { requirement } of known) list.judged(requirement, !missing.includes(requirement));
  if (columns.length === 0) return;
  runAndRollBack(copy, [insertion(table, row)], () => {
    for (const values of copy.each(`SELECT ${columns.join(", ")} FROM ${quoteName(table.name)} WHERE ${where}`))
      for (const [index, { column, requirement, wanted, fits }] of known.entries())
        if (!fits(values[index] as StoredValue))
          report(
            copy,
            table,
            column,
            requirement,
            { wanted: `${column} of a new row: ${wanted}`, got: portable(values[index]) },
            list,
          );
  });
}

/** Maximum time between an insert and the check of its timestamp; a dump has the time at which it was made. */
const RECENT_MS = 600_000;

/** Numbers above this limit are milliseconds since 1970, others are seconds. */
const LARGEST_SECONDS = 1e11;

/** True for the current time: text in UTC or in local time, because no zone is stated, or a number since 1970. */
export function isNow(value: StoredValue): boolean {
  if (typeof value === "string")
    return timestampFault({ format: "any", recent: true }, Date.now() - RECENT_MS, value) === undefined;
  if (typeof value !== "bigint" && typeof value !== "number") return false;
  const moment = Number(value) > LARGEST_SECONDS ? Number(value) : Number(value) * 1000;
  return Math.abs(moment - Date.now()) < RECENT_MS;
}

/**
 * Runs a judgement without the triggers of the database, which are listed in `temp.dropped_trigger` meanwhile. The
 * temporary tables are created before the transaction: after a change of the schema in it, SQLite would read the whole
 * schema again after each trial that is rolled back.
 */
export function withoutTriggers(copy: ScratchDatabase, judge: () => void): void {
  copy.run("DROP TABLE IF EXISTS temp.dropped_trigger; DROP TABLE IF EXISTS temp.scratch_row");
  copy.run(
    "CREATE TEMP TABLE dropped_trigger AS SELECT name, tbl_name, sql FROM main.sqlite_schema WHERE type = 'trigger'",
  );
  copy.run("CREATE TEMP TABLE scratch_row (id)");
  copy.run("BEGIN");
  try {
    for (const { name } of copy.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'"))
      copy.run(`DROP TRIGGER ${quoteName(String(name))}`);
    judge();
  } finally {
    copy.run("ROLLBACK");
  }
}
