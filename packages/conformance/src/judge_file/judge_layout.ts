import type { ScratchDatabase } from "../inspect/database_copy.ts";
import { quoteName } from "./database_objects.ts";
import type { DatabaseObject } from "./database_objects.ts";
import { suiteText } from "./finding_list.ts";
import type { FindingList } from "./finding_list.ts";

/** Returns a table; if it is missing, reports what the database has instead. */
export function requireTable(
  objects: Map<string, DatabaseObject>,
  name: string,
  requirement: string,
  list: FindingList,
): DatabaseObject | undefined {
  const found = objects.get(name);
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

/** Reports a missing index of this name on exactly this column. */
export function judgeIndex(
  copy: ScratchDatabase,
  table: DatabaseObject,
  index: string,
  column: string,
  requirement: string,
  list: FindingList,
): void {
  const all = copy.rows("SELECT name, partial FROM pragma_index_list(?)", table.name);
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
  const fits = columns.length === 1 && columns[0]?.toLowerCase() === column && found.partial === 0;
  if (!fits)
    list.error(requirement, {
      ...difference,
      got: suiteText(`${found.partial === 0 ? "an index" : "a partial index"} on ${columns.join(", ")}`),
    });
}

/** Reports a missing foreign key from a column to a column of another table. */
export function judgeForeignKey(
  copy: ScratchDatabase,
  table: DatabaseObject,
  key: { from: string; table: string; to: string },
  requirement: string,
  list: FindingList,
): void {
  const keys = copy.rows('SELECT "from", "table", "to" FROM pragma_foreign_key_list(?)', table.name);
  const same = (value: unknown, wanted: string): boolean => String(value ?? wanted).toLowerCase() === wanted;
  if (keys.some((found) => same(found.from, key.from) && same(found.table, key.table) && same(found.to, key.to)))
    return;
  const got = keys.map((found) => `${String(found.from)} to ${String(found.table)}.${String(found.to ?? "its key")}`);
  list.error(requirement, {
    at: `${table.name}.${key.from}`,
    wanted: `a foreign key to ${key.table}.${key.to}`,
    got: suiteText(got.length === 0 ? "no foreign key" : got.join(", ")),
    cell: { table: table.name, column: key.from },
  });
}

/** `INSERT INTO` with the columns of a row. */
export function insertion(table: DatabaseObject, row: Readonly<Record<string, string>>): string {
  const columns = Object.keys(row).map((name) => quoteName(table.columns.get(name)?.name ?? name));
  return `INSERT INTO ${quoteName(table.name)} (${columns.join(", ")}) VALUES (${Object.values(row).join(", ")})`;
}
