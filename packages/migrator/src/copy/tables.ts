/** What a column holds; a `level` is an integer of 32 bits, a `time` is text in a column whose type SQLite takes for numeric. */
type Kind = "integer" | "level" | "boolean" | "real" | "text" | "time" | "json";

/** Kinds that are text: only they can hold what has to be escaped, or characters. */
export const TEXTS: ReadonlySet<Kind> = new Set(["text", "time", "json"]);

/** A column that both sides have. */
export interface Column {
  name: string;
  kind: Kind;
  required: boolean;
  /** Where it is not a column of this table: what it is read from, by the names that a side has for the tables. */
  from?: (named: (table: TableName) => string) => string;
  /** `owner`: PostgreSQL has it where `interactions` is in partitions. `check`: nobody has it; where it is NULL, a reference leads nowhere. */
  role?: "owner" | "check" | "position";
}

export type TableName = "patterns" | "pattern_usage" | "interactions" | "interaction_metadata";

/** A table that goes over. */
export interface CopiedTable {
  name: TableName;
  /** The first column is the key, by which rows are in order on both sides. */
  columns: readonly Column[];
  /** By which column, of which table, rows that were recorded since are known: those above the source's highest. */
  newest: { column: string; of: TableName };
}

const column = (name: string, kind: Kind, required = false): Column => ({ name, kind, required });

/** Every table, each after those that it refers to. */
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

/** The column by which a table is in order. */
export function keyOf(table: CopiedTable): Column {
  return table.columns[0] as Column;
}
