import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { allOf, sqlName } from "../databases/sql_text.ts";
import type { Catalog } from "../recognise/catalog.ts";
import type { Layout } from "../recognise/layout.ts";

const LEFT_OVER = "metrics_new";

/** The table that an upgrade which was cut off left behind stays as it is: says so, and what is in it alone. */
export function notesOnLeftOver(database: Database, { columns }: Catalog, { treatment, table }: Layout): string[] {
  const left = columns.get(LEFT_OVER);
  const metrics = columns.get("metrics");
  if (left === undefined || metrics === undefined || table === LEFT_OVER) return [];
  if (treatment !== "convert" && treatment !== "unite") return [];
  const there = new Set(metrics.map(({ name }) => name.toLowerCase()));
  const shared = left.map(({ name }) => name).filter((name) => there.has(name.toLowerCase()));
  const equal = allOf(shared.map((column) => `a.${sqlName(column)} IS b.${sqlName(column)}`));
  const missing = `SELECT count(*) FROM main.${LEFT_OVER} AS b WHERE NOT EXISTS (SELECT 1 FROM main.metrics AS a WHERE ${shared.length === 0 ? "false" : equal})`;
  const alone = database.prepare(missing).pluck().get() as number;
  const rows = alone === 1 ? "1 of its rows is" : `${alone} of its rows are`;
  return [
    `the table ${LEFT_OVER}, which an upgrade that was cut off left behind, stays as it is; ${alone === 0 ? "it has no row that is not in metrics as well" : `${rows} not in metrics, and will not be in interactions`}`,
  ];
}
