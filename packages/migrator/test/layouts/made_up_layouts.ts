import { ONE_TABLE, type TableCase } from "../../src/database/layouts/known_layouts.ts";
import { TABLE_LAYOUTS, type TableLayout } from "../../src/database/layouts/table_layouts.ts";

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
