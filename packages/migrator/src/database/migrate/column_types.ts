import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { effectOfType, type OtherType } from "@perdura/internals/validity/column_types.js";
import { Stop } from "../../core/stop.ts";
import { recordConverted } from "../record/converted_values.ts";
import { withColumnType } from "../sql/column_definition.ts";
import { convertedValue } from "@perdura/internals/validity/column_values.js";
import { changeTableText, withoutTriggers } from "../sql/schema_text.ts";
import { anyOf, sameValue } from "../sql/sql_text.ts";
import type { Step } from "../steps/step.ts";

/** A table with columns of other types than the specified ones. */
export interface TypedTable {
  name: string;
  otherTypes: readonly OtherType[];
}

/**
 * Steps that give the columns of a table their specified types. Ids, indexes, triggers, references and all other parts
 * of the definition stay, because only the declared types change in the text of the table.
 *
 * @param key SQL over the alias `e` that identifies a row after the migration.
 */
export function typeSteps({ name, otherTypes }: TypedTable, key: string): Step[] {
  if (otherTypes.length === 0) return [];
  const columns = otherTypes.map(
    ({ column, declared, specified }) => `${column} ${specified} (${declared === "" ? "no type" : declared})`,
  );
  return [
    {
      title: `change the declared types of ${name} to those of version 16: ${columns.join(", ")}`,
      whole: true,
      run: (database) => {
        for (const type of otherTypes) recordConverted(database, name, type, key);
        changeTypes(database, name, otherTypes, ({ specified }) => specified);
        convert(database, name, otherTypes, ({ column, kind }) => convertedValue(kind, sqlName(column)));
      },
    },
  ];
}

/** Notes on such columns for the operator. */
export function notesOnTypes({ name, otherTypes }: TypedTable): string[] {
  return otherTypes.map((type) => `${name}: ${effectOfType(type, "version 16")}`);
}

/** Changes declared types in the text of a table, and nothing else. */
export function changeTypes(
  database: Database,
  table: string,
  types: readonly OtherType[],
  typeOf: (type: OtherType) => string,
): void {
  const changed = (column: Record<string, unknown>): Record<string, unknown> => {
    const other = types.find((type) => type.column.toLowerCase() === String(column["name"]).toLowerCase());
    return other === undefined ? column : { ...column, type: typeOf(other) };
  };
  changeTableText(
    database,
    table,
    (text) => withTypes(text, types, typeOf),
    ({ columns }) => ({ columns: columns.map(changed) }),
  );
}

/** The text of a table with other declared types; undefined if it cannot be changed. */
export function withTypes(
  text: string,
  types: readonly OtherType[],
  typeOf: (type: OtherType) => string,
): string | undefined {
  return types.reduce<string | undefined>(
    (changed, type) => (changed === undefined ? undefined : withColumnType(changed, type.column, typeOf(type))),
    text,
  );
}

/** Stores the converted values. Triggers of the user do not fire: no event that concerns them happened. */
function convert(
  database: Database,
  table: string,
  types: readonly OtherType[],
  valueOf: (type: OtherType) => string,
): void {
  const values = types.map((type) => ({ column: sqlName(type.column), value: valueOf(type) }));
  const changes = anyOf(values.map(({ column, value }) => `NOT ${sameValue(column, `(${value})`)}`));
  const set = values.map(({ column, value }) => `${column} = ${value}`).join(", ");
  try {
    withoutTriggers(database, [table], () =>
      database.exec(`UPDATE main.${sqlName(table)} AS e SET ${set} WHERE ${changes}`),
    );
    // Indexes contain the values of unchanged rows in the form of the former type.
    database.exec(`REINDEX main.${sqlName(table)}`);
  } catch (error) {
    throw new Stop(
      "refused",
      `Cannot change the declared types of the table ${table}: ${(error as Error).message}. Correct the rows that cause this, or remove the constraint, then run this command again.`,
      error,
    );
  }
}
