import { hasRowid, hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { rowsText } from "../../core/rows_text.ts";
import { Stop } from "../../core/stop.ts";
import { changeTypes } from "../migrate/column_types.ts";
import type { PatternTable } from "../layouts/pattern_tables.ts";
import { columnsOfTable } from "../sql/catalog.ts";
import { originalValue } from "../record/converted_values.ts";
import type { MigrationRecord } from "../record/migration_record.ts";
import { convertedValue } from "@perdura/internals/validity/column_values.js";
import { rowIdName } from "../sql/row_id.ts";
import { withoutTriggers } from "../sql/schema_text.ts";
import { anyOf, sameValue } from "../sql/sql_text.ts";
import type { Step } from "../steps/step.ts";
import { countFrom } from "../sql/count_from.ts";

/** A table of a pattern library whose columns one migration changed. */
export interface ChangedPatternTable {
  number: number;
  table: PatternTable;
}

/** The tables of a pattern library whose columns were changed, latest migration first. */
export function changedPatternTables(
  database: Database,
  records: readonly MigrationRecord[],
  schema: "main" | "backup" = "main",
): ChangedPatternTable[] {
  return records
    .toReversed()
    .flatMap(({ number, former }) => former.libraries.map((table) => ({ number, table })))
    .filter(({ table }) => hasTable(database, table.name, schema));
}

/**
 * The value of a column before its type changed; undefined for other columns. SQL over an alias of the table.
 *
 * @param value SQL for the value in version 16.
 */
export function patternValueBefore(
  database: Database,
  changed: readonly ChangedPatternTable[],
  schema: "main" | "backup",
  name: string,
  column: string,
  row: string,
  value = `${row}.${sqlName(column)}`,
): string | undefined {
  const found = changed.find(
    ({ table }) => table.name === name.toLowerCase() && table.otherTypes.some((type) => type.column === column),
  );
  const type = found?.table.otherTypes.find((other) => other.column === column);
  if (found === undefined || type === undefined) return undefined;
  const from = { table: found.table.name, type, number: found.number };
  return originalValue(database, from, schema, `${row}.id`, value);
}

/**
 * @throws Stop that names a column of version 16 with values for which the former table has no place, or whose former
 *   type would change values.
 */
export function assertPatternColumnsFit(database: Database, changed: readonly ChangedPatternTable[]): void {
  for (const { table } of changed) {
    const { name, missing, otherTypes } = table;
    for (const column of missing) {
      // The time of a change is set by SQLite, not by a user.
      if (column.default === "CURRENT_TIMESTAMP") continue;
      const rows = countFrom(database, `main.${name} AS e WHERE e.${column.name} IS NOT ${column.default}`);
      if (rows > 0)
        throw new Stop(
          "refused",
          `The pre-16 table ${name} has no column ${column.name}, and ${rowsText(rows)} of version 16 ${rows === 1 ? "has a value" : "have values"} there. Move the values to another table and run UPDATE ${name} SET ${column.name} = ${column.default} first, or stay with version 16.`,
        );
    }
    for (const type of otherTypes) {
      const before = patternValueBefore(database, changed, "main", name, type.column, "e") as string;
      const value = `e.${sqlName(type.column)}`;
      const rows = countFrom(
        database,
        `main.${name} AS e WHERE NOT ${sameValue(`(${convertedValue(type.kind, `(${before})`)})`, value)}`,
      );
      if (rows > 0)
        throw new Stop(
          "refused",
          `The column ${type.column} of the pre-16 table ${name} is declared ${type.declared}, which would change the value of ${rowsText(rows)} of version 16. Change these rows first, or stay with version 16.`,
        );
    }
  }
}

/** Steps that restore the former columns of the tables of a pattern library. */
export function formerColumnSteps(changed: readonly ChangedPatternTable[]): Step[] {
  return changed.flatMap((each) => [
    ...each.table.missing.toReversed().map(({ name }) => ({
      title: `drop the column ${name} of the table ${each.table.name}, which the migration added`,
      whole: true,
      run: (database: Database) => void database.exec(`ALTER TABLE main.${each.table.name} DROP COLUMN ${name}`),
    })),
    ...(each.table.otherTypes.length === 0
      ? []
      : [
          {
            title: `restore the declared types and the values of the table ${each.table.name}`,
            whole: true,
            run: (database: Database) => restoreTypes(database, each),
          },
        ]),
  ]);
}

const FORMER_VALUES = "temp.perdura_former_values";

/** The values are determined first: once the types have changed, SQLite reads stored values in another way. */
function restoreTypes(database: Database, changed: ChangedPatternTable): void {
  const { name, otherTypes } = changed.table;
  const key = hasRowid(database, name) ? rowIdName(name, columnsOfTable(database, name)) : "id";
  const values = otherTypes.map(({ column }, index) => ({
    column: sqlName(column),
    former: `(${patternValueBefore(database, [changed], "main", name, column, "e") as string})`,
    kept: `c${index}`,
  }));
  const differs = anyOf(values.map(({ column, former }) => `NOT ${sameValue(`e.${column}`, former)}`));
  database.exec(
    `CREATE TABLE ${FORMER_VALUES} AS SELECT e.${key} AS place, ${values.map(({ former, kept }) => `${former} AS ${kept}`).join(", ")} FROM main.${name} AS e WHERE ${differs}`,
  );
  try {
    changeTypes(database, name, otherTypes, ({ declared }) => declared);
    withoutTriggers(database, [name], () =>
      database.exec(
        `UPDATE main.${name} AS e SET ${values.map(({ column, kept }) => `${column} = v.${kept}`).join(", ")} FROM ${FORMER_VALUES} AS v WHERE e.${key} = v.place`,
      ),
    );
    database.exec(`REINDEX main.${name}`);
  } finally {
    database.exec(`DROP TABLE ${FORMER_VALUES}`);
  }
}
