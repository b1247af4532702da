import fc from "fast-check";
import { ONE_TABLE, type TableCase } from "../../src/database/layouts/known_layouts.ts";
import { TABLE_LAYOUTS, type TableLayout } from "../../src/database/layouts/table_layouts.ts";

/**
 * A layout that no program writes. In those that programs write, only the level, the metadata and the table have other
 * names than in version 16; here every name differs, so that each place that ignores the layout loses something.
 */
export const MADE_UP_LAYOUT: TableLayout = {
  table: "usage_log",
  columns: {
    user_id: "who",
    level: "grade",
    success: "worked",
    response_time_ms: "took",
    timestamp: "at",
    metadata: "details",
  },
  programs: {
    table: "usage_log",
    columns: ["id", "who", "grade", "worked", "took", "at", "details"],
    indexes: { idx_usage_who: "who,grade", idx_usage_at: "at" },
  },
};

/** Other names of a column; SQLite needs quotes around some of them. */
const name = (column: string, ...others: string[]): fc.Arbitrary<string> =>
  fc.constantFrom(column, column, ...others.flatMap((other) => [other, other]), `my ${column}`, `my "${column}"`);

/** Layouts with any names of the table and its columns. */
export const madeUpLayouts: fc.Arbitrary<TableLayout> = fc
  .record({
    table: fc.constantFrom("interactions", "usage_log", "group", "my log", 'my "log"', "interactions_old"),
    columns: fc.record({
      user_id: name("user_id", "who", "order"),
      level: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom("grade", "empathy_level", "select", "my level", 'my "level"') },
        fc.constant(null),
      ),
      success: name("success", "worked", "values"),
      response_time_ms: name("response_time_ms", "took", "rowid_ms"),
      timestamp: name("timestamp", "at", "when"),
      metadata: fc.constantFrom("metadata", "details", "my metadata", '"metadata"', null),
    }),
    fenced: fc.boolean(),
  })
  // Without another name, such a table is one of version 16.
  .filter(({ table, columns }) => table !== "interactions" || columns.user_id !== "user_id")
  .map(({ table, columns, fenced }) => ({
    table,
    columns,
    ...(fenced && table !== "interactions"
      ? {
          programs: {
            table,
            columns: ["id", ...Object.values(columns).filter((column) => column !== null)],
            indexes: { "idx of my": columns.user_id },
          },
        }
      : {}),
  }));

/** Makes the migrator know a layout, unless it does; returns a function that takes this back. */
export function addLayout(layout: TableLayout): () => void {
  if (TABLE_LAYOUTS.includes(layout)) return () => undefined;
  const [layouts, cases] = [TABLE_LAYOUTS as TableLayout[], ONE_TABLE as TableCase[]];
  const added = { name: "made-up", title: "layout that a test made up", table: layout };
  layouts.push(layout);
  cases.push(added);
  return () => {
    layouts.splice(layouts.indexOf(layout), 1);
    cases.splice(cases.indexOf(added), 1);
  };
}
