import { PATTERN_FIELDS } from "@perdura/internals/validity/pattern_fields.js";
import { PATTERN_USAGE_TABLE, PATTERNS_TABLE } from "@perdura/internals/patterns/sqlite_schema.js";
import { columnsOf, isOrdinaryTable, schemaObjects } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { type OtherType, otherTypes } from "@perdura/internals/validity/column_types.js";
import { convertedValue } from "@perdura/internals/validity/column_values.js";

/** An optional column of section 2.1 or 2.2 that a table lacks. */
export interface MissingColumn {
  name: string;
  type: string;
  /** Its default in SQL. */
  default: string;
}

/** A table of a pattern library, and the differences of its columns from the specification. */
export interface PatternTable {
  name: "patterns" | "pattern_usage";
  otherTypes: OtherType[];
  missing: MissingColumn[];
}

/** Index that makes ids unique in a table that a program created without a key. */
export const ID_INDEX = "perdura_patterns_id";

const TABLES = [
  ["patterns", PATTERNS_TABLE],
  ["pattern_usage", PATTERN_USAGE_TABLE],
] as const;

/** The tables of a pattern library whose columns differ from the specification. */
export function differentPatternTables(database: Database, schema: "main" | "backup" = "main"): PatternTable[] {
  return TABLES.flatMap(([name, create]): PatternTable[] => {
    const entry = schemaObjects(database, [name], schema).find(isOrdinaryTable);
    if (entry === undefined) return [];
    const columns = columnsOf(database, name, schema);
    const present = new Set(columns.map((column) => column.name.toLowerCase()));
    const table = {
      name,
      otherTypes: otherTypes(name, columns, entry.sql),
      missing: optionalColumns(create).filter((column) => !present.has(column.name)),
    };
    return table.otherTypes.length + table.missing.length === 0 ? [] : [table];
  });
}

/** Columns of a specified table that may be NULL or have a default, so that they can be added to existing rows. */
function optionalColumns(create: string): MissingColumn[] {
  return [...create.matchAll(/^ {4}([a-z_]+) ([A-Z]+)(?: DEFAULT ([A-Z_\d.]+))?,?$/gm)].map(
    ([, name = "", type = "", value = "NULL"]) => ({ name, type, default: value }),
  );
}

/** SQL for the fields of a pattern as version 16 will read them from the table `patterns`. */
export function fieldsIn16(tables: readonly PatternTable[]): string[] {
  const table = tables.find(({ name }) => name === "patterns");
  return PATTERN_FIELDS.map((field) => {
    const type = table?.otherTypes.find(({ column }) => column.toLowerCase() === field);
    if (type !== undefined) return convertedValue(type.kind, field);
    return table?.missing.find(({ name }) => name === field)?.default ?? field;
  });
}

/** SQL over the alias `e` for the key of a row in the record of converted values. */
export function keyIn16({ otherTypes: types }: PatternTable): string {
  const id = types.find(({ column }) => column.toLowerCase() === "id");
  return id === undefined ? "e.id" : convertedValue(id.kind, `e.${sqlName(id.column)}`);
}
