import { INTERACTION_METADATA_TABLE } from "@perdura/internals/metrics/schema.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { type Catalog, schemaEntries } from "../../sql/catalog.ts";
import { keptColumns, type MetricsTable } from "../../layouts/metrics_table.ts";
import { ASSUMED_LEVELS_TABLE } from "../../record/side_tables.ts";
import { recordMerged } from "../../record/merged_rows.ts";
import { changeRows, firedTriggers, runForRows } from "../../steps/fired_triggers.ts";
import { allOf, sqlNames } from "../../sql/sql_text.ts";
import type { Step } from "../../steps/step.ts";
import { dropUsedKept, levelOf, type LevelSource, prepareLevels, recordLevels } from "../../levels/level_source.ts";
import { assertStillUsable, workingUses } from "../../objects/working_uses.ts";
import type { MergePlan } from "./plan_merge.ts";
import { countFrom } from "../../sql/count_from.ts";

/**
 * Moves the rows of the second table into `interactions`, whose level column already has its new name, and drops the
 * table.
 *
 * @param levels Source of the levels if the table has none.
 */
export function mergeSteps(merge: MergePlan, levels: LevelSource | null): Step[] {
  const { second } = merge;
  return [
    {
      title: `${titleOf(merge)}${levels === null ? "" : LEVELS}`,
      whole: true,
      changes: [{ table: "interactions", kind: "insert" }],
      run: (database) => moveRows(database, merge, levels),
    },
    ...(second.names.metadata === null
      ? []
      : [
          {
            title: `move the metadata of ${second.name} to the table interaction_metadata`,
            run: (database: Database) => moveMetadata(database, merge),
            whole: true,
            changes: [{ table: "interaction_metadata", kind: "insert" }] as const,
          },
        ]),
    {
      title: `drop the table ${second.name}`,
      changes: [{ table: second.name, kind: "delete", where: "true" }],
      run: (database) => dropTable(database, second.name),
    },
  ];
}

const LEVELS = `, with levels as recorded in the table ${ASSUMED_LEVELS_TABLE}`;

function titleOf({ second, rows, first, last, newer }: MergePlan): string {
  if (first === null || last === null) return `check that the table ${second.name} has no rows to merge`;
  const ids = first === last ? `id ${first}` : `ids ${first} to ${last}`;
  const why = newer
    ? "after the existing rows, which are not newer"
    : "before the existing rows, which are newer, so the newest interaction of each user stays the newest";
  return `merge the ${rows === 1 ? "row" : `${rows} rows`} of the table ${second.name} into interactions, with the ${ids}: ${why}`;
}

function moveRows(database: Database, { second, rows, idOffset }: MergePlan, levels: LevelSource | null): void {
  // Inserting no rows would still create a counter of ids.
  if (rows === 0) return;
  const from = `main.${sqlName(second.name)}`;
  recordMerged(database, second.name, from, idOffset);
  const kept = keptColumns(second).filter(({ to }) => to.toLowerCase() !== "id");
  const values = kept.map(({ name }) => `e.${sqlName(name)}`);
  if (levels !== null) prepareLevels(database, levels, second);
  const level = levels === null ? [] : [levelOf(levels, second, "e")];
  changeRows(database, ["interactions"], () =>
    runForRows(
      database,
      "interactions",
      `INSERT INTO main.interactions (${sqlNames(["id", ...level.map(() => "level"), ...kept.map(({ to }) => to)])}) SELECT ${[`e.id + ${idOffset}`, ...level, ...values].join(", ")} FROM ${from} AS e ORDER BY e.id`,
      countFrom(database, from),
    ),
  );
  if (levels === null) return;
  recordLevels(database, levels, second, idOffset);
  if (levels.kept !== null) dropUsedKept(database, levels.kept, second.name);
}

function moveMetadata(database: Database, { second, idOffset }: MergePlan): void {
  const column = sqlName(second.names.metadata as string);
  database.exec(INTERACTION_METADATA_TABLE);
  changeRows(database, ["interaction_metadata"], () =>
    database.exec(
      `INSERT INTO main.interaction_metadata (interaction_id, metadata) SELECT id + ${idOffset}, ${column} FROM main.${sqlName(second.name)} WHERE ${column} IS NOT NULL ORDER BY id`,
    ),
  );
}

function dropTable(database: Database, table: string): void {
  const working = workingUses(database);
  // Dropping a table fires no triggers.
  const { fired } = firedTriggers(schemaEntries(database), [{ table, kind: "delete" }]);
  if (fired.length > 0) changeRows(database, [table], () => database.exec(`DELETE FROM main.${sqlName(table)}`));
  database.exec(`DROP TABLE main.${sqlName(table)}`);
  // The view that makes pre-16 programs fail has the columns of the table: its readers would seem to work.
  assertStillUsable(database, working);
}

/**
 * Notes on merged rows for the operator.
 *
 * @param dropped Indexes of the old layout, which version 16 does not need.
 */
export function notesOnMerge(
  database: Database,
  catalog: Catalog,
  first: MetricsTable,
  merge: MergePlan,
  dropped: readonly string[],
): string[] {
  const { second } = merge;
  return [
    ...noteOnDroppedObjects(catalog, second, dropped),
    ...noteOnDuplicates(countEqual(database, first, second), second),
    ...noteOnNewestInteraction(countUsersWithOlderLast(database, first, merge), merge),
  ];
}

/** Objects of the user on a table are dropped with it. */
function noteOnDroppedObjects({ entries }: Catalog, { name }: MetricsTable, dropped: readonly string[]): string[] {
  const objects = entries.filter(
    ({ type, table, name: object, sql }) =>
      (type === "index" || type === "trigger") &&
      sql !== null &&
      table.toLowerCase() === name.toLowerCase() &&
      !dropped.includes(object),
  );
  if (objects.length === 0) return [];
  const listed = objects.map((object) => `the ${object.type} ${object.name}`).join(", ");
  const them = objects.length === 1 ? "it" : "them";
  return [`dropped with the table ${name}: ${listed}; create ${them} again on interactions if you need ${them}`];
}

/** Number of rows with the same id and the same values in both tables: one may be a copy of the other. */
function countEqual(database: Database, first: MetricsTable, second: MetricsTable): number {
  const own = new Map(keptColumns(first).map(({ name, to }) => [to.toLowerCase(), name]));
  const equal = keptColumns(second).map(
    ({ name, to }) => `a.${sqlName(own.get(to.toLowerCase()) as string)} IS b.${sqlName(name)}`,
  );
  return countFrom(
    database,
    `main.${sqlName(second.name)} AS b JOIN main.${sqlName(first.name)} AS a ON a.id = b.id WHERE ${allOf(equal)}`,
  );
}

function noteOnDuplicates(rows: number, { name }: MetricsTable): string[] {
  if (rows === 0) return [];
  const what = rows === 1 ? "1 row is" : `${rows} rows are`;
  return [
    `${what} in both tables, with the same id and values; both are kept, because they may be different interactions. If they are duplicates, delete them from ${name} first`,
  ];
}

/** Number of users whose newest interaction is in the table with the lower ids. */
function countUsersWithOlderLast(database: Database, first: MetricsTable, { second, newer }: MergePlan): number {
  const newest = (table: MetricsTable): string =>
    `(SELECT max(x.${sqlName(table.names.timestamp)}) FROM main.${sqlName(table.name)} AS x WHERE x.${sqlName(table.names.user_id)} = u.user AND typeof(x.${sqlName(table.names.timestamp)}) = 'text')`;
  const [later, earlier] = newer ? [second, first] : [first, second];
  return countFrom(
    database,
    `(SELECT DISTINCT ${sqlName(second.names.user_id)} AS user FROM main.${sqlName(second.name)}) AS u WHERE replace(${newest(earlier)}, 'T', ' ') > replace(${newest(later)}, 'T', ' ')`,
  );
}

function noteOnNewestInteraction(users: number, { second, newer }: MergePlan): string[] {
  if (users === 0) return [];
  const [table, other] = newer ? ["interactions", second.name] : [second.name, "interactions"];
  return [
    `the newest interaction of ${users === 1 ? "1 user" : `${users} users`} is in ${table}, but the rows of ${other} have higher ids: ${users === 1 ? "its" : "their"} current level is the last one of ${other}`,
  ];
}
