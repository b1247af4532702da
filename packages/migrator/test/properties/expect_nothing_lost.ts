import { expect } from "vitest";
import type { DatabaseContent, StoredTable } from "../../../../fixtures/database_content.ts";
import type { DatabaseReport } from "../../src/index.ts";

/** Columns of a metrics table, in lower case, with the level under its name in 16. */
type Cells = Map<string, string>;

/**
 * Checks that every row of a metrics table is in `interactions` or in the quarantine, once, with equal values, storage
 * classes and metadata; and that there are no other rows.
 */
export function expectNothingLost(before: DatabaseContent, after: DatabaseContent, report: DatabaseReport): void {
  const offset = BigInt(report.merged?.id_offset ?? 0);
  const source = metricsTables(before);
  const wanted = source.flatMap(({ name, table }) =>
    rowsOf(table).map((row) => ({ name, row: withMetadata(row, name === "interactions" ? before : undefined) })),
  );
  const kept = rowsOf(after.tables["interactions"]).map((row) => withMetadata(row, after));
  // Patterns may be quarantined as well; `test/patterns` covers those.
  const quarantined = rowsOf(after.tables["perdura_quarantine"]).filter((row) =>
    source.some(({ name }) => row.get("perdura_source") === `t${JSON.stringify(name)}`),
  );
  expect(kept.length + quarantined.length).toBe(wanted.length);
  const isRetyped = report.steps.some((step) => step.startsWith("change the declared types"));
  const found = new Map(kept.map((row) => [row.get("id"), row]));
  const set = new Map(quarantined.map((row) => [`${row.get("perdura_source")} ${row.get("id")}`, row]));
  for (const { name, row } of wanted) {
    const joined = source.length > 1 && name !== "interactions";
    const id = joined ? `i${BigInt((row.get("id") as string).slice(1)) + offset}` : row.get("id");
    const own = new Map(row).set("id", id as string);
    const counterpart = set.get(`t${JSON.stringify(name)} ${row.get("id")}`);
    if (counterpart === undefined) expectEqual(own, isRetyped ? withFormerClasses(own, found.get(id)) : found.get(id));
    else expectEqual(row, counterpart);
  }
}

/** Gives the cells that are the same number, or the text of an integer, the form that they had before. */
function withFormerClasses(row: Cells, other: Cells | undefined): Cells | undefined {
  return (
    other &&
    new Map(
      [...other].map(([column, cell]) => {
        const before = row.get(column) ?? "n";
        const isUser = column === "user_id" && cell === `t"${before.slice(1)}"` && before.startsWith("i");
        const isNumber =
          ["level", "success", "response_time_ms"].includes(column) && numberOf(before) === numberOf(cell);
        return [column, isUser || isNumber ? before : cell];
      }),
    )
  );
}

/** The number of a cell, or the cell itself. */
function numberOf(cell: string): number | string {
  const text = cell.replace(/^[irt]"?(.*?)"?$/s, "$1").trim();
  return text === "" || Number.isNaN(Number(text)) ? cell : Number(text);
}

/** Checks that the rows of `interactions` are valid in 16. */
export function expectHolds(after: DatabaseContent): void {
  for (const row of rowsOf(after.tables["interactions"])) {
    expect(row.get("level")).toMatch(/^i[1-5]$/);
    expect(row.get("user_id")).toMatch(/^t/);
    expect(row.get("success")).not.toMatch(/^n/);
    expect(row.get("response_time_ms")).toMatch(/^[irn]/);
  }
}

/** Checks that all values of one row are in the other; additional columns (the lost level) may exist. */
function expectEqual(row: Cells, other: Cells | undefined): void {
  if (other === undefined) throw new Error(`The row ${JSON.stringify([...row])} is gone.`);
  expect(Object.fromEntries([...row].map(([column]) => [column, other.get(column) ?? "n"]))).toEqual(
    Object.fromEntries(row),
  );
}

function metricsTables(content: DatabaseContent): { name: string; table: StoredTable }[] {
  const holds = (table: StoredTable): boolean => /\buser_id\b.*\bsuccess\b/i.test(table.columns.join(" "));
  const tables = Object.entries(content.tables).filter(
    ([name, table]) => /^(metrics|interactions)/.test(name) && holds(table),
  );
  // A table `metrics_new` next to `metrics` is the remains of a rebuild; it stays unchanged.
  const rest = tables.some(([name]) => name === "metrics") ? tables.filter(([name]) => name !== "metrics_new") : tables;
  return rest.map(([name, table]) => ({ name, table }));
}

function rowsOf(table: StoredTable | undefined): Cells[] {
  const names = (table?.columns ?? []).map((name) => name.toLowerCase().replace(/^empathy_level$/, "level"));
  return (table?.rows ?? []).map(
    ({ classes, values }) => new Map(names.map((name, place) => [name, cellOf(classes.charAt(place), values[place])])),
  );
}

function cellOf(storageClass: string, value: unknown): string {
  if (storageClass === "n") return "n";
  if (storageClass !== "i") return storageClass + JSON.stringify(value);
  return storageClass + (typeof value === "object" ? (value as { $int: string }).$int : String(value));
}

function withMetadata(row: Cells, content: DatabaseContent | undefined): Cells {
  const side = content?.tables["interaction_metadata"];
  if (side === undefined) return row;
  const own = rowsOf(side).find((each) => each.get("interaction_id") === row.get("id"));
  return new Map(row).set("metadata", own?.get("metadata") ?? "n");
}
