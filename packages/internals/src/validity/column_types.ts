import { UnsupportedFormatError } from "../errors/errors.ts";
import type { Column } from "../sqlite/catalog.ts";

/** The conversion that SQLite applies to the values of a column, which it derives from the declared type. */
export type Affinity = "INTEGER" | "TEXT" | "BLOB" | "REAL" | "NUMERIC";

/**
 * The affinity of a declared type, by section 3.1 of https://sqlite.org/datatype3.html.
 *
 * @param strict True for a table that is STRICT: there, and only there, ANY converts nothing.
 */
export function affinityOf(type: string, strict = false): Affinity {
  const name = type.toUpperCase();
  if (strict && name === "ANY") return "BLOB";
  if (name.includes("INT")) return "INTEGER";
  if (/CHAR|CLOB|TEXT/.test(name)) return "TEXT";
  if (name === "" || name.includes("BLOB")) return "BLOB";
  return /REAL|FLOA|DOUB/.test(name) ? "REAL" : "NUMERIC";
}

/** True for the text of a table that is declared STRICT. */
export function isStrict(sql: string): boolean {
  return /\bSTRICT\b/i.test(sql.slice(sql.lastIndexOf(")")));
}

/** Kinds of values in the columns of sections 2.1, 2.2 and 2.5. */
export type ValueKind = "text" | "integer" | "boolean" | "real";

/**
 * The driver passes every number as a REAL, so an integer is stored as an integer only with these affinities. A REAL
 * column holds numbers unchanged; so do columns that store an integral number as an integer. Text that looks like a
 * number stays text only in a column that converts no text.
 */
const HARMLESS: Record<ValueKind, readonly Affinity[]> = {
  text: ["TEXT", "BLOB"],
  integer: ["INTEGER", "NUMERIC"],
  boolean: ["INTEGER", "NUMERIC"],
  real: ["REAL", "INTEGER", "NUMERIC", "BLOB"],
};

/** The declared types of section 2, by kind; a STRICT table knows no BOOLEAN. */
const TYPES: Record<ValueKind, string> = { text: "TEXT", integer: "INTEGER", boolean: "BOOLEAN", real: "REAL" };

/** An example of a value, and its form after a conversion. */
const EFFECTS: Record<ValueKind, (affinity: Affinity, column: string) => string> = {
  text: () => "the text '007' as the number 7",
  integer: (affinity, column) => `${column.endsWith("level") ? "level 4" : "4"} as ${converted("4", affinity)}`,
  boolean: (affinity) => `1 as ${converted("1", affinity)}`,
  real: () => "12.5 as the text '12.5'",
};

const converted = (digit: string, affinity: Affinity): string =>
  affinity === "TEXT" ? `the text '${digit}.0'` : `the REAL ${digit}.0`;

/** A table of the specification. */
export type SpecifiedTable = "interactions" | "patterns" | "pattern_usage";

/**
 * Columns whose values a declared type can change. Timestamps and JSON text do not look like numbers, so no type changes
 * them.
 */
const KINDS: Record<SpecifiedTable, Readonly<Record<string, ValueKind>>> = {
  interactions: {
    user_id: "text",
    level: "integer",
    empathy_level: "integer",
    success: "boolean",
    response_time_ms: "real",
  },
  patterns: {
    id: "text",
    agent_id: "text",
    pattern_type: "text",
    name: "text",
    description: "text",
    code: "text",
    confidence: "real",
    usage_count: "integer",
    success_count: "integer",
    failure_count: "integer",
  },
  pattern_usage: { pattern_id: "text", agent_id: "text", success: "boolean" },
};

/** A column with a declared type that changes values which the lines write. */
export interface OtherType {
  /** As spelled in the table. */
  column: string;
  /** The declared type; empty without one. */
  declared: string;
  affinity: Affinity;
  kind: ValueKind;
  /** The declared type of section 2. */
  specified: string;
}

/**
 * The columns of a table whose declared types change what the lines write (ruling U-column-types).
 *
 * @param table The table of the specification with these columns; a field layout has those of `interactions`.
 * @param columns Columns as SQLite lists them, without generated ones.
 * @param sql Text of the table.
 * @param specified The name that the specification has for a column of the table, in lower case.
 */
export function otherTypes(
  table: SpecifiedTable,
  columns: readonly Column[],
  sql: string,
  specified: (column: string) => string = (column) => column.toLowerCase(),
): OtherType[] {
  const strict = isStrict(sql);
  const kinds = KINDS[table];
  return columns.flatMap(({ name, type }): OtherType[] => {
    const lower = specified(name);
    const kind = Object.hasOwn(kinds, lower) ? kinds[lower] : undefined;
    const affinity = affinityOf(type, strict);
    if (kind === undefined || HARMLESS[kind].includes(affinity)) return [];
    return [
      {
        column: name,
        declared: type,
        affinity,
        kind,
        specified: strict && kind === "boolean" ? "INTEGER" : TYPES[kind],
      },
    ];
  });
}

/**
 * Refuses a table whose declared types would silently change what this library writes. A boolean of another type is
 * accepted, because every type reads it alike.
 *
 * @param kinds Kinds of values whose columns are judged.
 * @throws UnsupportedFormatError that names the columns, their types and the effect.
 */
export function assertTypes(
  table: SpecifiedTable,
  columns: readonly Column[],
  sql: string,
  dbPath: string,
  kinds: readonly ValueKind[] = ["text", "integer", "real"],
): void {
  const others = otherTypes(table, columns, sql).filter(({ kind }) => kinds.includes(kind));
  if (others.length === 0) return;
  const effects = others.map((type) => effectOfType(type, "this library")).join("; ");
  throw new UnsupportedFormatError(
    `the table "${table}" has columns of other types: ${effects}. Run \`perdura-migrate plan\` on it to see how the columns get the specified types. No stored data was changed.`,
    { path: dbPath },
  );
}

/**
 * The effect of such a type, in a sentence: `empathy_level is declared TEXT: version 16 would store level 4 as the text
 * '4.0'`.
 *
 * @param program The program that would store it.
 */
export function effectOfType({ column, declared, affinity, kind }: OtherType, program: string): string {
  const type = declared === "" ? "has no declared type" : `is declared ${declared}`;
  return `${column} ${type}: ${program} would store ${EFFECTS[kind](affinity, column.toLowerCase())}`;
}
