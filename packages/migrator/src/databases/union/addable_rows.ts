import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { blockingCondition } from "../../inspect/odd_checks.ts";
import { type Catalog, entryNamed } from "../../recognise/catalog.ts";
import { Stop } from "../../core/stop.ts";
import type { MetricsTable } from "../metrics_table.ts";
import { namesIn } from "../set_aside/tokens.ts";
import { sqlName } from "../sql_text.ts";
import { assertNoCollision } from "./collisions.ts";
import { assertNoOrphan } from "./orphans.ts";

/** Rows that join others: what the columns of the table that they come to are called in the one that they come from. */
export interface Joining {
  /** The table that they come to. */
  to: string;
  /** What the row id is called there. */
  id: "id" | "interaction_id";
  /** A column that has its value from elsewhere, or null. */
  filled: string | null;
  /** SQL that is true for the rows that are there then. */
  stay: string;
  from: string;
  /** SQL that is true for the rows that join. */
  join: string;
  /** By lower-case name of the column that it comes to. */
  columns: ReadonlyMap<string, string>;
}

/**
 * @throws Stop naming what would turn rows of the second table away, or drop others for them, when they are added to those
 * of the first.
 */
export function assertRowsCanBeAdded(
  database: Database,
  catalog: Catalog,
  first: MetricsTable,
  second: MetricsTable,
  joins = `NOT (${blockingCondition(second)})`,
): void {
  const stays = `NOT (${blockingCondition(first)})`;
  const interactions: Joining = {
    to: first.name,
    id: "id",
    filled: second.level === null ? first.level : null,
    stay: stays,
    from: second.name,
    join: joins,
    columns: new Map(
      second.columns
        .filter((column) => column !== second.metadata)
        .map((column) => [(column === second.level ? (first.level ?? "level") : column).toLowerCase(), column]),
    ),
  };
  assertNothingTurnsAway(database, catalog, interactions);
  if (second.metadata === null || !first.sideTable) return;
  const { metadata } = second;
  assertNothingTurnsAway(database, catalog, {
    to: "interaction_metadata",
    id: "interaction_id",
    filled: null,
    stay: `interaction_id NOT IN (SELECT id FROM main.${sqlName(first.name)} WHERE ${blockingCondition(first)})`,
    from: second.name,
    join: `${sqlName(metadata)} IS NOT NULL AND ${joins}`,
    columns: new Map([
      ["interaction_id", "id"],
      ["metadata", metadata],
    ]),
  });
}

function assertNothingTurnsAway(database: Database, catalog: Catalog, joining: Joining): void {
  const { from, join } = joining;
  if (database.prepare(`SELECT 1 FROM main.${sqlName(from)} WHERE ${join} LIMIT 1`).get() === undefined) return;
  assertNoCondition(catalog, joining);
  assertNoNull(database, joining);
  assertNoCollision(database, joining);
  if (joining.id === "id") assertNoOrphan(database, joining);
}

/** What a condition says of a row, or drops instead of saying so, would be known only when the row is added. */
function assertNoCondition(catalog: Catalog, { to, from }: Joining): void {
  const names = namesIn(entryNamed(catalog, to, "table")?.sql ?? "").filter(({ bare }) => bare);
  const found = names.some(({ name }) => name === "check")
    ? "a CHECK condition"
    : names.some(({ name, before }) => name === "conflict" && before === "on")
      ? "an ON CONFLICT clause"
      : undefined;
  if (found === undefined) return;
  throw new Stop(
    "refused",
    `The table ${to} has ${found}, past which rows of ${from} cannot be added safely: some could be turned away or take the place of others. Take it out of the table first.`,
  );
}

function assertNoNull(database: Database, { to, from, join, columns, filled }: Joining): void {
  const needed = database
    .prepare(
      `SELECT name, dflt_value IS NOT NULL AS "default" FROM pragma_table_info(?, 'main') WHERE "notnull" AND pk = 0`,
    )
    .all(to) as { name: string; default: 0 | 1 }[];
  for (const { name, default: given } of needed) {
    if (name.toLowerCase() === filled?.toLowerCase()) continue;
    const source = columns.get(name.toLowerCase());
    if (source === undefined && given === 1) continue;
    const missing = source === undefined ? "true" : `${sqlName(source)} IS NULL`;
    const rows = database
      .prepare(`SELECT count(*) FROM main.${sqlName(from)} WHERE (${join}) AND ${missing}`)
      .pluck()
      .get() as number;
    if (rows > 0)
      throw new Stop(
        "refused",
        `The column ${name} of the table ${to} must not be empty (NOT NULL), and ${rows} of the rows of ${from} that join it have no value for it. Give them one first, or take NOT NULL away.`,
      );
  }
}
