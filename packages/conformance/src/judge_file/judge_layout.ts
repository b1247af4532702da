import type { ScratchDatabase } from "../inspect/database_copy.ts";
import { quoteName } from "./database_objects.ts";
import type { DatabaseObject } from "./database_objects.ts";
import { suiteText } from "../inspect/suite_text.ts";
import type { FindingList } from "./finding_list.ts";

/** Returns a table; if it is missing, reports what the database has instead. */
export function requireTable(
  objects: Map<string, DatabaseObject>,
  name: string,
  requirement: string,
  list: FindingList,
): DatabaseObject | undefined {
  const found = objects.get(name);
  list.judged(requirement);
  if (found?.kind === "a table") return found;
  list.error(requirement, {
    at: name,
    wanted: `the table ${name}`,
    got: found ? suiteText(`${found.kind} of this name`) : undefined,
    cell: { table: name },
  });
  return undefined;
}

/** Reports required columns that are missing or not writable. */
export function judgeColumns(
  table: DatabaseObject,
  names: readonly string[],
  requirement: string,
  list: FindingList,
): void {
  list.judged(requirement);
  for (const name of names) {
    const column = table.columns.get(name);
    const difference = {
      at: `${table.name}.${name}`,
      wanted: `the column ${name}`,
      cell: { table: table.name, column: name },
    };
    if (!column) list.error(requirement, { ...difference, got: undefined });
    else if (column.computed)
      list.error(requirement, {
        ...difference,
        wanted: `the column ${name}, which can be written`,
        got: suiteText("a generated column"),
      });
  }
}

/** Reports a missing index of this name on exactly this column. It must contain all rows, and allow equal values. */
export function judgeIndex(
  copy: ScratchDatabase,
  table: DatabaseObject,
  index: string,
  column: string,
  requirement: string,
  list: FindingList,
): void {
  const all = copy.rows('SELECT name, partial, "unique" FROM pragma_index_list(?)', table.name);
  list.judged(requirement);
  const found = all.find(({ name }) => String(name).toLowerCase() === index);
  const difference = {
    at: `${table.name}, index ${index}`,
    wanted: `the index ${index} on ${column}`,
    cell: { table: table.name, column },
  };
  if (!found) {
    const others = all.map(({ name }) => String(name)).filter((name) => !name.startsWith("sqlite_"));
    list.error(requirement, {
      ...difference,
      got: suiteText(others.length === 0 ? "no index" : `the indexes ${others.join(", ")}`),
    });
    return;
  }
  const columns = copy
    .rows("SELECT name FROM pragma_index_info(?) ORDER BY seqno", String(found.name))
    .map(({ name }) => (name === null ? "an expression" : String(name)));
  const whole = found.partial === 0 && found.unique === 0;
  if (whole && columns.length === 1 && columns[0]?.toLowerCase() === column) return;
  const kinds = `${found.unique === 0 ? "" : "unique "}${found.partial === 0 ? "" : "partial "}`;
  const article = kinds.startsWith("p") || kinds.startsWith("u") ? "a" : "an";
  list.error(requirement, { ...difference, got: suiteText(`${article} ${kinds}index on ${columns.join(", ")}`) });
}

/** Reports a missing foreign key from a column alone to a column of another table. */
export function judgeForeignKey(
  copy: ScratchDatabase,
  table: DatabaseObject,
  key: { from: string; table: string; to: string },
  requirement: string,
  list: FindingList,
): void {
  list.judged(requirement);
  const keys = foreignKeysOf(copy, table.name);
  const wanted = `${key.from} to ${key.table}.${key.to}`;
  if (keys.some((found) => found.toLowerCase() === wanted)) return;
  list.error(requirement, {
    at: `${table.name}.${key.from}`,
    wanted: `a foreign key to ${key.table}.${key.to}`,
    got: suiteText(keys.length === 0 ? "no foreign key" : keys.join("; ")),
    cell: { table: table.name, column: key.from },
  });
}

/** Foreign keys in the form `pattern_id to patterns.id`; the columns of a composite key are joined with a comma. */
function foreignKeysOf(copy: ScratchDatabase, table: string): string[] {
  const keys = new Map<unknown, { from: string[]; table: string; to: (string | undefined)[] }>();
  for (const { id, ...row } of copy.rows(
    'SELECT id, "from", "table", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq',
    table,
  )) {
    const key = keys.get(id) ?? { from: [], table: String(row.table), to: [] };
    key.from.push(String(row.from));
    // Without a name, the key of the other table is referenced.
    key.to.push(row.to === null ? keyColumnsOf(copy, key.table)[key.to.length] : String(row.to));
    keys.set(id, key);
  }
  return [...keys.values()].map((key) => `${key.from.join(", ")} to ${key.table}.${key.to.join(", ")}`);
}

/** The columns of the primary key, in its order. */
function keyColumnsOf(copy: ScratchDatabase, table: string): string[] {
  return copy
    .rows("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", table)
    .map(({ name }) => String(name));
}

/** An insertion of a row. A conflict clause of the table, such as `ON CONFLICT REPLACE`, does not apply. */
export function insertion(table: DatabaseObject, row: Readonly<Record<string, string>>): string {
  const columns = Object.keys(row).map((name) => quoteName(table.columns.get(name)?.name ?? name));
  return `INSERT OR ABORT INTO ${quoteName(table.name)} (${columns.join(", ")}) VALUES (${Object.values(row).join(", ")})`;
}
