/** Type of a column; a `level` is a 32-bit integer, a `time` is text in a column that SQLite treats as numeric. */
type Kind = "integer" | "level" | "boolean" | "real" | "text" | "time" | "json";

/** Kinds that are text: only they may need escapes, or have non-ASCII characters. */
export const TEXTS: ReadonlySet<Kind> = new Set(["text", "time", "json"]);

/** A column that both sides have. */
export interface Column {
  name: string;
  kind: Kind;
  required: boolean;
  /** For a value from another table: makes its SQL from the names of the tables on one side. */
  from?: (named: (table: TableName) => string) => string;
  /**
   * `owner`: a column in PostgreSQL if `interactions` is partitioned. `check`: not stored; NULL means a broken
   * reference.
   */
  role?: "owner" | "check" | "position";
}

export type TableName = "patterns" | "pattern_usage" | "interactions" | "interaction_metadata";

/** A table that is copied. */
export interface CopiedTable {
  name: TableName;
  /** The first column is the key, by which rows are sorted on both sides. */
  columns: readonly Column[];
  /** The column, and its table, whose values above the source's highest mark rows that were recorded since. */
  newest: { column: string; of: TableName };
}

const column = (name: string, kind: Kind, required = false): Column => ({ name, kind, required });

/** All tables, each after those that it refers to. */
export const TABLES: readonly CopiedTable[] = [
  {
    name: "patterns",
    columns: [
      column("id", "text", true),
      column("agent_id", "text", true),
      column("pattern_type", "text", true),
      column("name", "text", true),
      column("description", "text"),
      column("context", "json"),
      column("code", "text"),
      column("confidence", "real"),
      column("usage_count", "integer"),
      column("success_count", "integer"),
      column("failure_count", "integer"),
      column("tags", "json"),
      column("discovered_at", "time"),
      column("last_used", "time"),
      column("updated_at", "time"),
      { ...column("position", "integer", true), role: "position" },
    ],
    newest: { column: "position", of: "patterns" },
  },
  {
    name: "pattern_usage",
    columns: [
      column("id", "integer", true),
      column("pattern_id", "text", true),
      column("agent_id", "text", true),
      column("success", "boolean", true),
      column("used_at", "time"),
      {
        ...column("pattern", "text", true),
        from: (named) => `(SELECT p.id FROM ${named("patterns")} AS p WHERE p.id = pattern_id)`,
        role: "check",
      },
    ],
    newest: { column: "id", of: "pattern_usage" },
  },
  {
    name: "interactions",
    columns: [
      column("id", "integer", true),
      column("user_id", "text", true),
      column("level", "level", true),
      column("success", "boolean", true),
      column("response_time_ms", "real"),
      column("timestamp", "time"),
    ],
    newest: { column: "id", of: "interactions" },
  },
  {
    name: "interaction_metadata",
    columns: [
      column("interaction_id", "integer", true),
      column("metadata", "json", true),
      {
        ...column("user_id", "text", true),
        from: (named) => `(SELECT i.user_id FROM ${named("interactions")} AS i WHERE i.id = interaction_id)`,
        role: "owner",
      },
    ],
    newest: { column: "id", of: "interactions" },
  },
];

/** The column by which a table is sorted. */
export function keyOf(table: CopiedTable): Column {
  return table.columns[0] as Column;
}

/**
 * A row as text, equal on both sides, in the order of the columns; null is NULL. A value of another type begins with
 * NUL.
 */
export type Row = readonly (string | null)[];

/** A value from SQLite: integers as bigint, or as numbers if all keys are exact in a double. */
export type SqliteValue = bigint | number | string | Buffer | null;

/** Prefix of a value of the wrong type for its column: no value of PostgreSQL begins so. */
export const WRONG_TYPE = "\0wrong\0";

export function fromSqlite({ kind }: Column, value: SqliteValue): string | null {
  if (value === null) return null;
  switch (kind) {
    case "integer":
    case "level":
      return typeof value === "bigint" || Number.isInteger(value) ? String(value) : wrongType(value);
    case "boolean":
      return value === 0n || value === 0 ? "f" : value === 1n || value === 1 ? "t" : wrongType(value);
    case "real":
      return typeof value === "number" ? realText(value) : wrongType(value);
    default:
      return typeof value === "string" ? value : wrongType(value);
  }
}

/** @param text Text as PostgreSQL writes it. */
export function fromPostgres({ kind }: Column, text: string | null): string | null {
  return kind === "real" && text !== null ? realText(Number(text)) : text;
}

export function toSqlite({ kind }: Column, text: string | null): bigint | number | string | null {
  if (text === null) return null;
  switch (kind) {
    case "integer":
    case "level":
      return BigInt(text);
    case "boolean":
      return text === "t" ? 1n : 0n;
    case "real":
      return Number(text);
    default:
      return text;
  }
}

/** The shortest text of this number; SQLite does not keep the sign of zero. */
function realText(value: number): string {
  return String(value === 0 ? 0 : value);
}

function wrongType(value: Exclude<SqliteValue, null>): string {
  if (Buffer.isBuffer(value)) return `${WRONG_TYPE}a blob of ${value.length} bytes`;
  if (typeof value === "string") return `${WRONG_TYPE}text ${JSON.stringify(value.slice(0, 40))}`;
  const isInteger = typeof value === "bigint" || Number.isInteger(value);
  return `${WRONG_TYPE}${isInteger ? "the integer" : "the real number"} ${String(value)}`;
}

/** Maximum nesting of JSON that works with the smallest stack that a PostgreSQL server can have. */
const DEEPEST = 500;

/** Name of the column next to a JSON column in PostgreSQL, for text that is not valid there. */
export function rawColumn(name: string): string {
  return `${name}_raw`;
}

/** Indexes of the JSON values of a row. */
export function placesOfJson({ columns }: CopiedTable): number[] {
  return columns.flatMap(({ kind }, index) => (kind === "json" ? [index] : []));
}

/** A row for PostgreSQL: appends, for each JSON value, the text for the raw column, or null. */
export function withRaw(row: Row, places: readonly number[]): Row {
  if (places.length === 0) return row;
  const stored = [...row];
  for (const place of places) {
    const text = row[place] ?? null;
    const isRaw = text !== null && !isTakenAsJson(text);
    if (isRaw) stored[place] = "null";
    stored.push(isRaw ? text : null);
  }
  return stored;
}

function isTakenAsJson(text: string): boolean {
  // A level needs two brackets: most values are too short to need a check.
  return (text.length <= 2 * DEEPEST || depthOf(text) <= DEEPEST) && isJson(text);
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPENING: ReadonlySet<number> = new Set([91, 123]);
const CLOSING: ReadonlySet<number> = new Set([93, 125]);

/** Nesting of arrays and objects in JSON text, which may be too long for a regular expression. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let place = 0; place < text.length; place += 1) {
    const character = text.charCodeAt(place);
    if (isText && character === BACKSLASH) place += 1;
    else if (character === QUOTE) isText = !isText;
    else if (isText) continue;
    else if (OPENING.has(character)) deepest = Math.max(deepest, (depth += 1));
    else if (CLOSING.has(character)) depth -= 1;
  }
  return deepest;
}

/** True for valid JSON. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
