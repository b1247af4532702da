import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { notesOnMeaning } from "../databases/changed_meaning.ts";
import type { Catalog, SchemaEntry } from "../recognise/catalog.ts";
import type { Lineage } from "./lineage.ts";
import type { OldForm } from "./old_form.ts";

/** Names objects that the user made or changed since, and that may mean something else under the old names. */
export function notesOnWayBack(database: Database, catalog: Catalog, form: OldForm, lineage: Lineage): string[] {
  const { metrics, second, rebuilds } = form;
  if (metrics === null) return [];
  const handled = new Set([...lineage.restore, ...lineage.remove].map(keyOf));
  const entries = catalog.entries.filter((entry) => !handled.has(keyOf(entry)));
  const level = metrics.level?.toLowerCase() === "level" ? null : metrics.level;
  const tables = [...(rebuilds ? [metrics.name] : []), ...(second === null ? [] : [second.name])];
  return notesOnMeaning(
    database,
    { ...catalog, entries },
    {
      tables: ["interactions"],
      come: [
        ...tables.filter((name) => name.toLowerCase() !== "interactions"),
        ...(level === null ? [] : [level]),
        ...(metrics.metadata === null ? [] : [metrics.metadata]),
      ],
      go: metrics.level === null ? ["level"] : [],
      renamed: level === null ? null : { from: "level", to: level },
    },
  );
}

function keyOf({ type, name }: Pick<SchemaEntry, "type" | "name">): string {
  return `${type} ${name.toLowerCase()}`;
}
