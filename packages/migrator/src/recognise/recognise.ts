import type { Catalog } from "./catalog.ts";
import type { Layout } from "./layout.ts";
import { bothTables, bothTablesOdd } from "./layouts/both_tables.ts";
import { documented15 } from "./layouts/documented_15.ts";
import { documented16 } from "./layouts/documented_16.ts";
import { fieldA } from "./layouts/field_a.ts";
import { halfUpgraded, halfUpgradedWithoutLevels } from "./layouts/half_upgraded.ts";
import { holdsPatterns, patterns } from "./layouts/patterns.ts";
import { empty, foreign } from "./layouts/strangers.ts";
import { unknown } from "./layouts/unknown.ts";
import { fieldB, fieldC, fieldD } from "./layouts/without_levels.ts";

/** The first that matches names the layout: the special cases come before what they are a case of. */
const LAYOUTS: readonly Layout[] = [
  bothTables,
  bothTablesOdd,
  halfUpgraded,
  unknown,
  documented15,
  documented16,
  fieldA,
  fieldD,
  fieldC,
  fieldB,
  halfUpgradedWithoutLevels,
  patterns,
  empty,
  foreign,
];

/** Names the layout of a database. A field layout with a pattern library beside it is called `combined-…`. */
export function recognise(catalog: Catalog): Layout {
  const layout = LAYOUTS.find(({ matches }) => matches(catalog)) as Layout;
  if (!layout.name.startsWith("field-") || !holdsPatterns(catalog)) return layout;
  return {
    ...layout,
    name: layout.name.replace("field-", "combined-"),
    title: `patterns and metrics in one file, ${layout.title}`,
  };
}
