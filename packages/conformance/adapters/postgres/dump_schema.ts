import type { Pool, PoolClient } from "pg";
import type { DumpedColumn, DumpedForeignKey, DumpedIndex, DumpedTable, TableDump } from "../../src/table_dump/dump.ts";
import {
  COLUMNS,
  CONSTRAINTS,
  INDEXES,
  TABLES,
  type ColumnRow,
  type ConstraintRow,
  type IndexRow,
  type TableRow,
} from "./catalogue.ts";
import { dumpedValue, typeClass } from "./dumped_values.ts";

/** Dumps all tables of a schema, including those of the implementation; undefined if the schema does not exist. */
export async function dumpSchema(pool: Pool, schema: string): Promise<TableDump | undefined> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    const present = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
    if (present.rowCount === 0) return undefined;
    const { rows } = await client.query<TableRow>(TABLES, [schema]);
    const catalogue = await readCatalogue(client, rows);
    const tables: DumpedTable[] = [];
    for (const table of rows) tables.push(await dumpTable(client, table, catalogue));
    return { table_dump: 1, tables };
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}

/** Entries of the catalogue for all tables of a schema: separate queries for each table would cost more than all others. */
interface Catalogue {
  columns: ColumnRow[];
  constraints: ConstraintRow[];
  indexes: IndexRow[];
}

async function readCatalogue(client: PoolClient, tables: readonly TableRow[]): Promise<Catalogue> {
  const numbers = [tables.map(({ oid }) => oid)];
  return {
    columns: (await client.query<ColumnRow>(COLUMNS, numbers)).rows,
    constraints: (await client.query<ConstraintRow>(CONSTRAINTS, numbers)).rows,
    indexes: (await client.query<IndexRow>(INDEXES, numbers)).rows,
  };
}

async function dumpTable(
  client: PoolClient,
  { oid, name, sql_name: table }: TableRow,
  catalogue: Catalogue,
): Promise<DumpedTable> {
  const all = catalogue.columns.filter((column) => column.table === oid);
  const constraints = catalogue.constraints.filter((constraint) => constraint.table === oid);
  const indexes = catalogue.indexes.filter((index) => index.table === oid);
  const primary = constraints.find(({ kind }) => kind === "p")?.columns;
  const columns = all.filter((column) => !isOwn(name, column.name));
  return {
    name,
    columns: await describe(client, columns),
    ...(primary === undefined ? {} : { primary_key: primary }),
    unique: constraints.filter(({ kind }) => kind === "u").map((key) => key.columns),
    foreign_keys: constraints.filter(({ kind }) => kind === "f").map(foreignKey),
    indexes: indexes.filter((index) => !index.name.startsWith("perdura_")).map((index) => withoutOwn(name, index)),
    rows: await rowsOf(client, table, columns, orderOf(all, primary ?? [])),
  };
}

/** Columns in addition to those of the specification, which writers may omit: docs/table-dump.md. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  interactions: ["recorded_by"],
  patterns: ["position", "context_raw", "tags_raw"],
  interaction_metadata: ["metadata_raw"],
};

function isOwn(table: string, column: string | null): boolean {
  return column !== null && OWN[table]?.includes(column) === true;
}

/** Replaces our own columns in an index by null, so that it does not appear as an index on the others alone. */
function withoutOwn(table: string, { name, columns, unique, partial }: IndexRow): DumpedIndex {
  return { name, columns: columns.map((column) => (isOwn(table, column) ? null : column)), unique, partial };
}

function foreignKey({ columns, parent, references, on_delete: action }: ConstraintRow): DumpedForeignKey {
  const key = { columns, table: parent as string, references: references as string[] };
  if (action === "c") return { ...key, on_delete: "cascade" };
  return action === "n" ? { ...key, on_delete: "set-null" } : key;
}

/** Identity columns give the order in which rows were inserted, including the order of a library. */
function orderOf(columns: readonly ColumnRow[], key: readonly string[]): string[] {
  return [...columns.filter(({ identity }) => identity).map(({ name }) => name), ...key];
}

/** A default is dumped as its value, which only the server can compute. */
async function describe(client: PoolClient, columns: readonly ColumnRow[]): Promise<DumpedColumn[]> {
  const computed = columns.filter((column) => column.expression !== null && !isGenerated(column));
  const values = computed.length === 0 ? [] : await valuesOf(client, computed);
  return columns.map((column) => {
    const { name, type, nullable } = column;
    const plain = { name, type: typeClass(type), nullable };
    if (isGenerated(column)) return { ...plain, default: { generated: true } };
    if (column.expression === null) return plain;
    return { ...plain, default: { gives: dumpedValue(plain.type, values[computed.indexOf(column)] ?? null) } };
  });
}

async function valuesOf(client: PoolClient, columns: readonly ColumnRow[]): Promise<(string | null)[]> {
  const expressions = columns.map(({ expression }) => `(${expression})::text`).join(", ");
  const { rows } = await client.query<(string | null)[]>({ text: `SELECT ${expressions}`, rowMode: "array" });
  return rows[0] ?? [];
}

function isGenerated({ identity, expression }: ColumnRow): boolean {
  return identity || expression?.startsWith("nextval(") === true;
}

/** Values as text, because the driver would convert them to doubles or local times. */
async function rowsOf(
  client: PoolClient,
  table: string,
  columns: readonly ColumnRow[],
  inOrderOf: readonly string[],
): Promise<DumpedTable["rows"]> {
  const order = inOrderOf.map((name) => `t.${quoted(name)}`).join(", ");
  const values = columns.map(({ name }) => `t.${quoted(name)}::text`).join(", ");
  const { rows } = await client.query<(string | null)[]>({
    text: `SELECT ${values} FROM ${table} AS t${order === "" ? "" : ` ORDER BY ${order}`}`,
    rowMode: "array",
  });
  const types = columns.map(({ type }) => typeClass(type));
  return rows.map((row) => row.map((value, index) => dumpedValue(types[index] ?? "other", value)));
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
