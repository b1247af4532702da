import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { Catalog } from "../../recognise/catalog.ts";
import { fieldIndexes } from "../indexes.ts";
import type { MetricsTable } from "../metrics_table.ts";
import { allOf, sqlName } from "../sql_text.ts";
import type { Union } from "./plan_union.ts";

/** What an operator should know of rows that join others. */
export function notesOnUnion(database: Database, catalog: Catalog, first: MetricsTable, union: Union): string[] {
  const { second } = union;
  return [
    ...own(catalog, second, fieldIndexes(database, catalog, second.name)),
    ...twice(countEqual(database, first, second), second),
    ...older(countOtherwise(database, first, union), union),
  ];
}

/** What the user made on a table goes with it. */
function own({ entries }: Catalog, { name }: MetricsTable, dropped: readonly string[]): string[] {
  const objects = entries.filter(
    ({ type, table, name: object, sql }) =>
      (type === "index" || type === "trigger") &&
      sql !== null &&
      table.toLowerCase() === name.toLowerCase() &&
      !dropped.includes(object),
  );
  if (objects.length === 0) return [];
  const listed = objects.map((object) => `the ${object.type} ${object.name}`).join(", ");
  return [`gone with the table ${name}: ${listed}; make them again on interactions if they are still needed`];
}

/** Rows that have the same id and the same values in both tables: somebody may have copied one into the other. */
function countEqual(database: Database, first: MetricsTable, second: MetricsTable): number {
  const columns = second.columns.filter((column) => column !== second.metadata && column !== second.level);
  const equal = columns.map((column) => `a.${sqlName(column)} IS b.${sqlName(column)}`);
  if (second.level !== null) equal.push(`a.${sqlName(first.level as string)} IS b.${sqlName(second.level)}`);
  return database
    .prepare(
      `SELECT count(*) FROM main.${sqlName(second.name)} AS b JOIN main.${sqlName(first.name)} AS a ON a.id = b.id WHERE ${allOf(equal)}`,
    )
    .pluck()
    .get() as number;
}

function twice(rows: number, { name }: MetricsTable): string[] {
  if (rows === 0) return [];
  const what = rows === 1 ? "1 row is" : `${rows} rows are`;
  return [
    `${what} in both tables, with the same id and the same values; each counts twice afterwards, because nothing tells whether it is a copy. If it is, delete the copies from ${name} first`,
  ];
}

/** Users whose newest interaction is in the table whose rows come before the others. */
function countOtherwise(database: Database, first: MetricsTable, { second, newer }: Union): number {
  const newest = (table: MetricsTable): string =>
    `(SELECT max(x.timestamp) FROM main.${sqlName(table.name)} AS x WHERE x.user_id = u.user_id AND typeof(x.timestamp) = 'text')`;
  const [later, earlier] = newer ? [second, first] : [first, second];
  return database
    .prepare(
      `SELECT count(*) FROM (SELECT DISTINCT user_id FROM main.${sqlName(second.name)}) AS u WHERE replace(${newest(earlier)}, 'T', ' ') > replace(${newest(later)}, 'T', ' ')`,
    )
    .pluck()
    .get() as number;
}

function older(users: number, { second, newer }: Union): string[] {
  if (users === 0) return [];
  const [table, other] = newer ? ["interactions", second.name] : [second.name, "interactions"];
  return [
    `for ${users === 1 ? "1 user" : `${users} users`} the newest interaction stands in ${table}, while the ids of ${other} are the higher ones: their current level is the last one of ${other}`,
  ];
}
