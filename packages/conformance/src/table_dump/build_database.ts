import Database from "better-sqlite3";
import { AdapterFault } from "../protocol/channel.ts";
import { isTaggedNumber, tokenOf } from "../values/json_value.ts";
import { quoteName } from "../judge_file/database_objects.ts";
import type { DumpedColumn, DumpedForeignKey, DumpedTable, DumpedValue, TableDump, TypeClass } from "./dump.ts";

/** Types that keep values unchanged; `TIMESTAMP` would convert text that looks like a number. */
const DECLARED: Record<TypeClass, string> = {
  // As INTEGER, a key would be generated.
  integer: "INT",
  real: "REAL",
  boolean: "BOOLEAN",
  text: "TEXT",
  json: "TEXT",
  timestamp: "TEXT",
  other: "BLOB",
};

/**
 * Rebuilds the tables of a dump in a SQLite database of the suite, so that it is inspected like a file.
 * @param path path of the new file.
 * @param name name of the database in the case.
 * @throws {AdapterFault} for impossible tables, for example two rows with one key.
 */
export function buildDatabase(dump: TableDump, path: string, name: string): void {
  const database = new Database(path);
  try {
    // Rows that violate foreign keys are found by the inspection, as in a file.
    database.pragma("foreign_keys = OFF");
    database.transaction(() => {
      for (const table of dump.tables) database.exec(tableSql(table));
      for (const table of dump.tables) fill(database, table);
      for (const table of dump.tables) for (const sql of indexSql(table)) database.exec(sql);
    })();
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    throw new AdapterFault(
      "protocol-error",
      `the dump of the tables of ${name} cannot be loaded into a database: ${error.message}`,
    );
  } finally {
    database.close();
  }
}

function tableSql(table: DumpedTable): string {
  const key = generatedKey(table);
  const parts = table.columns.map((column) => columnSql(column, column.name === key));
  if (table.primary_key !== undefined && key === undefined) parts.push(`PRIMARY KEY (${list(table.primary_key)})`);
  for (const unique of table.unique) parts.push(`UNIQUE (${list(unique)})`);
  parts.push(...table.foreign_keys.map(foreignKeySql));
  return `CREATE TABLE ${quoteName(table.name)} (${parts.join(", ")})`;
}

function foreignKeySql({ columns, table, references, on_delete: action }: DumpedForeignKey): string {
  const onDelete = action === undefined ? "" : ` ON DELETE ${action === "cascade" ? "CASCADE" : "SET NULL"}`;
  return `FOREIGN KEY (${list(columns)}) REFERENCES ${quoteName(table)} (${list(references)})${onDelete}`;
}

/** The only column of the primary key, if it is generated. */
function generatedKey({ primary_key: key = [], columns }: DumpedTable): string | undefined {
  const [only] = key;
  if (only === undefined || key.length !== 1) return undefined;
  const given = columns.find(({ name }) => name === only)?.default;
  return given !== undefined && "generated" in given ? only : undefined;
}

function columnSql({ name, type, nullable, default: given }: DumpedColumn, isKey: boolean): string {
  if (isKey) return `${quoteName(name)} INTEGER PRIMARY KEY AUTOINCREMENT`;
  return `${quoteName(name)} ${DECLARED[type]}${nullable ? "" : " NOT NULL"}${defaultSql(type, given)}`;
}

function defaultSql(type: TypeClass, given: DumpedColumn["default"]): string {
  if (given === undefined) return "";
  // SQLite generates values for the primary key only; random values are practically never equal.
  if ("generated" in given) return " DEFAULT (abs(random()))";
  return ` DEFAULT (${literal(stored(type, given.gives))})`;
}

function indexSql(table: DumpedTable): string[] {
  return table.indexes.map(({ name, columns, unique, partial }) => {
    const on = columns.map((column) => (column === null ? "(1)" : quoteName(column))).join(", ");
    return `CREATE ${unique ? "UNIQUE " : ""}INDEX ${quoteName(name)} ON ${quoteName(table.name)} (${on})${partial ? " WHERE 0" : ""}`;
  });
}

function fill(database: Database.Database, table: DumpedTable): void {
  const insert = database.prepare(
    `INSERT INTO ${quoteName(table.name)} VALUES (${table.columns.map(() => "?").join(", ")})`,
  );
  for (const row of table.rows)
    insert.run(row.map((value, index) => stored((table.columns[index] as DumpedColumn).type, value)));
}

/** The value that SQLite stores: a `bigint` for an integer, a `number` for a real. */
function stored(type: TypeClass, value: DumpedValue): null | bigint | number | string {
  if (value === null || typeof value === "string") return value;
  if (typeof value === "boolean") return value ? 1n : 0n;
  const token = isTaggedNumber(value) ? tokenOf(value) : String(value);
  const whole = type === "integer" || (type === "other" && /^-?\d+$/.test(token));
  if (whole) return BigInt(token.replace(/^\+/, ""));
  // SQLite stores NaN as NULL, which would be another value.
  return token === "NaN" ? token : Number(token);
}

function literal(value: null | bigint | number | string): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return `CAST(x'${Buffer.from(value).toString("hex")}' AS TEXT)`;
  if (typeof value === "bigint") return String(value);
  if (!Number.isFinite(value)) return value > 0 ? "9e999" : "-9e999";
  return Number.isInteger(value) ? `CAST(${value} AS REAL)` : String(value);
}

function list(names: readonly string[]): string {
  return names.map(quoteName).join(", ");
}
