import { expect, test } from "vitest";
import { faultOf } from "../../src/copy/faults.ts";
import { type Row, type CopiedTable, type TableName, TABLES } from "../../src/copy/tables.ts";

const tableNamed = (name: TableName): CopiedTable => TABLES.find((table) => table.name === name) as CopiedTable;

/** A row of equal texts, except for these columns. */
function row(table: TableName, values: Record<string, string | null>): Row {
  return tableNamed(table).columns.map(({ name }) => (name in values ? (values[name] as string | null) : "1"));
}

test.each<[TableName, Record<string, string | null>, string]>([
  ["patterns", { position: null }, "position: expected a value, found NULL"],
  ["patterns", { name: null }, "name: expected a value, found NULL"],
  ["pattern_usage", { pattern: null }, "pattern: the row that it refers to does not exist"],
  ["interaction_metadata", { user_id: null }, "user_id: the row that it refers to does not exist"],
  ["interactions", { level: "2147483648" }, "level: 2147483648 exceeds 32 bits"],
  ["interactions", { level: "-2147483649" }, "level: -2147483649 exceeds 32 bits"],
])("PostgreSQL cannot hold a row of %s with %j", (table, values, reported) => {
  const fault = faultOf(tableNamed(table), row(table, values), "PostgreSQL");
  expect(`${fault?.column}: ${fault?.reason}`).toBe(reported);
  expect(fault).toMatchObject({ table, key: "1" });
});

test.each([
  ["1", true],
  [" -1.5e10\n", true],
  ["+1.", true],
  [".5E-12", true],
  ["1e", false],
  ["1e5x", false],
  ["x1", false],
  ["2025-01-01", false],
  ["", false],
  [".", false],
])("a time of %j: converted to a number by SQLite: %s", (text, isNumber) => {
  const fault = faultOf(tableNamed("interactions"), row("interactions", { timestamp: text }), "SQLite");
  expect(fault?.reason).toBe(isNumber ? "text that SQLite would convert to a number" : undefined);
});

test("reports NaN before SQLite converts it to NULL", () => {
  const rows = row("interactions", { response_time_ms: "NaN", timestamp: "then" });
  expect(faultOf(tableNamed("interactions"), rows, "SQLite")).toMatchObject({ column: "response_time_ms" });
});
