import { type Schema, tableNames } from "@perdura/internals/sqlite/catalog.js";
import { columnsOf } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { InteractionColumns } from "@perdura/internals/validity/interaction_problems.js";
import { namesOf } from "./metrics_table.ts";
import { columnIn, metricsTables, TABLE_LAYOUTS, type TableLayout } from "./table_layouts.ts";

/**
 * A table with levels under a name that no layout has: it was renamed or copied, or remains from an interrupted
 * upgrade.
 */
export interface LevelTable {
  /** As spelled in the file. */
  name: string;
  columns: string[];
  /** The columns that version 16 has as well; the name of one that this table lacks is empty. */
  names: InteractionColumns & { level: string };
  /** The name that the layout of its columns gives to the table. */
  former: string;
  /** True if it has every column of a metrics table, so that its rows are interactions. */
  hasInteractions: boolean;
}

/**
 * The tables with `id`, `user_id` and a level (`empathy_level` or `level`) whose names no layout has, in the order of
 * their creation.
 */
export function levelTables(database: Database, schema: Schema = "main"): LevelTable[] {
  return tableNames(database, schema)
    .ordinary.filter((name) => !isReserved(name.toLowerCase()))
    .flatMap((name) => describe(database, name, schema));
}

/** True for tables of the layouts, of perdura-migrate and of SQLite. */
function isReserved(name: string): boolean {
  return metricsTables().includes(name) || /^(?:perdura|sqlite)_/.test(name);
}

/** The table of interactions with levels of an attached database, which has the name of a layout or another one. */
export function interactionsWithLevels(database: Database, schema: Schema): LevelTable | undefined {
  const isNamed = (name: string): boolean => metricsTables().includes(name.toLowerCase());
  return tableNames(database, schema)
    .ordinary.toSorted((one, other) => Number(isNamed(other)) - Number(isNamed(one)))
    .flatMap((name) => describe(database, name, schema))
    .find(({ hasInteractions }) => hasInteractions);
}

function describe(database: Database, table: string, schema: Schema): LevelTable[] {
  const columns = columnsOf(database, table, schema).map(({ name }) => name);
  const metadata = columns.find((name) => name.toLowerCase() === "metadata") ?? null;
  const found = TABLE_LAYOUTS.flatMap((layout) => {
    const names = namesOf(columns, layout.columns);
    return names.level === null || names.user_id === "" ? [] : [{ layout, names: { ...names, level: names.level } }];
  });
  const hasPlace = ({ layout }: { layout: TableLayout }): boolean =>
    (columnIn(layout, "metadata") !== null) === (metadata !== null);
  const best = found.find(hasPlace) ?? found[0];
  if (best === undefined || !columns.some((name) => name.toLowerCase() === "id")) return [];
  const names = { ...best.names, metadata };
  return [
    {
      name: table,
      columns,
      names,
      former: best.layout.table,
      hasInteractions: [names.success, names.response_time_ms, names.timestamp].every((name) => name !== ""),
    },
  ];
}

/** Finds a table by its name, ignoring ASCII case like SQLite. */
export function levelTableNamed(tables: readonly LevelTable[], name: string): LevelTable | undefined {
  return tables.find((table) => isSameName(table.name, name));
}

export function isSameName(one: string, other: string): boolean {
  return lower(one) === lower(other);
}

const lower = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
