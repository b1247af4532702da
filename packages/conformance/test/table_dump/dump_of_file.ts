import Database from "better-sqlite3";
import type {
  DumpedColumn,
  DumpedIndex,
  DumpedTable,
  DumpedValue,
  TableDump,
  TypeClass,
} from "../../src/table_dump/dump.ts";
import { numberFromBigInt, numberFromDouble } from "../../src/values/numbers.ts";

type Stored = null | bigint | number | string;
type Row = Record<string, Stored>;

const CLASSES: Record<string, TypeClass> = {
  INTEGER: "integer",
  REAL: "real",
  BOOLEAN: "boolean",
  TIMESTAMP: "timestamp",
};

/** The tables of a database file of perdura, in the form of a database server. */
export function dumpOfFile(path: string): TableDump {
  const database = new Database(path, { readonly: true });
  database.defaultSafeIntegers(true);
  const rows = (sql: string, ...values: string[]) => database.prepare(sql).all(...values) as Row[];
  try {
    const names = rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name");
    return { table_dump: 1, tables: names.map(({ name }) => dumpOfTable(String(name), rows)) };
  } finally {
    database.close();
  }
}

function dumpOfTable(name: string, rows: (sql: string, ...values: string[]) => Row[]): DumpedTable {
  const infos = rows("SELECT * FROM pragma_table_info(?) ORDER BY cid", name);
  const key = infos.filter(({ pk }) => pk !== 0n).map((info) => String(info["name"]));
  const columns = infos.map((info): DumpedColumn => {
    const type = CLASSES[String(info["type"])] ?? "text";
    const generated = type === "integer" && key.join() === info["name"];
    const plain = { name: String(info["name"]), type, nullable: info["notnull"] === 0n && !generated };
    if (generated) return { ...plain, default: { generated: true } };
    const expression = info["dflt_value"];
    if (expression === null) return plain;
    return {
      ...plain,
      default: { gives: dumped(type, rows(`SELECT ${String(expression)} AS value`)[0]?.["value"] ?? null) },
    };
  });
  return {
    name,
    columns,
    ...(key.length === 0 ? {} : { primary_key: key }),
    unique: [],
    foreign_keys: rows("SELECT * FROM pragma_foreign_key_list(?)", name).map((found) => ({
      columns: [String(found["from"])],
      table: String(found["table"]),
      references: [String(found["to"] ?? "id")],
      ...(found["on_delete"] === "CASCADE" ? { on_delete: "cascade" as const } : {}),
    })),
    indexes: rows("SELECT * FROM pragma_index_list(?) WHERE origin = 'c'", name).map((index): DumpedIndex => ({
      name: String(index["name"]),
      columns: rows("SELECT name FROM pragma_index_info(?) ORDER BY seqno", String(index["name"])).map(
        (column) => column["name"] as string | null,
      ),
      unique: index["unique"] === 1n,
      partial: index["partial"] === 1n,
    })),
    rows: rows(`SELECT * FROM "${name}" ORDER BY rowid`).map((row) =>
      columns.map((column) => dumped(column.type, row[column.name] ?? null)),
    ),
  };
}

function dumped(type: TypeClass, value: Stored): DumpedValue {
  if (typeof value === "bigint") return type === "boolean" ? value === 1n : numberFromBigInt(value);
  return typeof value === "number" ? numberFromDouble(value) : value;
}
