import { type Catalog, hasNames, isMetricsTable } from "../sql/catalog.ts";
import { describeTable, isRenamed, type MetricsTable, renamedColumns } from "./metrics_table.ts";
import { columnIn, commonColumns, type TableLayout } from "./table_layouts.ts";

/** Treatment of a database of a layout. */
export type Treatment =
  /** Columns are renamed in place, or get their specified types. */
  | "rename"
  /** Table and columns are renamed, the metadata is moved to its side table. */
  | "convert"
  /** Two metrics tables: the rows of the field layout are merged into the documented one. */
  | "merge"
  /** At most missing indexes are built. */
  | "keep"
  /** Not supported by this version; see `sentence`. */
  | "refuse"
  /** Not perdura's data. */
  | "leave";

/** A layout of metrics databases that some program wrote. */
export interface Layout {
  name: string;
  title: string;
  treatment: Treatment;
  /** The table that becomes, or is, `interactions`, and the one whose rows are merged into it. */
  tables: readonly TableLayout[];
  /** Reason to refuse a database of this layout, or to leave it alone. */
  sentence?: string;
}

/** True if a table has the columns of a layout, and none with a name that another of its columns gets. */
export function matchesTable(catalog: Catalog, layout: TableLayout): boolean {
  const level = columnIn(layout, "level");
  const taken = Object.entries(layout.columns).flatMap(([column, name]) =>
    name === column || column === "metadata" ? [] : [column],
  );
  return isMetricsTable(
    catalog,
    layout.table,
    [...commonColumns(layout), ...(level === null ? [] : [level])],
    [...taken, ...(layout.without ?? [])],
  );
}

/** True if a table of that name probably has interactions: it has some columns of the layout, but perhaps not all. */
export function resemblesTable(catalog: Catalog, layout: TableLayout): boolean {
  const [level, user] = [columnIn(layout, "level"), columnIn(layout, "user_id")];
  const telling =
    level === null || user === null || level === "level"
      ? []
      : [
          [user, level],
          ["level", level],
        ];
  return [...telling, commonColumns(layout)].some((columns) => hasNames(catalog, layout.table, columns));
}

/** The metrics table of a layout that is migrated or is one of 16; otherwise null. */
export function metricsTableOf(catalog: Catalog, { treatment, tables: [first] }: Layout): MetricsTable | null {
  return first === undefined || treatment === "refuse" ? null : describeTable(catalog, first);
}

/** The table whose rows are merged into {@link metricsTableOf}; null if there is only one. */
export function secondTableOf(catalog: Catalog, { tables: [, second] }: Layout): MetricsTable | null {
  // The side table refers to the ids of the other table.
  return second === undefined ? null : { ...describeTable(catalog, second), sideTable: false };
}

/** Derives the treatment of a database with one table of interactions. */
export function treatmentOf(table: MetricsTable): Treatment {
  if (isRenamed(table)) return "convert";
  return renamedColumns(table).length > 0 || table.otherTypes.length > 0 ? "rename" : "keep";
}
