import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { Catalog } from "../recognise/catalog.ts";
import { holdsPatterns } from "../recognise/layouts/patterns.ts";
import type { Found } from "./found.ts";
import { buildIndexes, dropFieldIndexes, fieldIndexes, keptFieldIndexes } from "./indexes.ts";
import type { Step } from "./step.ts";

/** What becomes of the indexes. */
export interface IndexPlan {
  drop: Step[];
  build: Step[];
  /** Names of indexes of the old layout that are not there afterwards, and of those that are new. */
  dropped: string[];
  built: string[];
  notes: string[];
}

/**
 * The indexes of the old layout go, those of version 16 come. Deferred, the old ones stay: they serve the same queries.
 *
 * @throws Stop when a name that version 16 needs is taken.
 */
export function planIndexes(database: Database, catalog: Catalog, found: Found, deferred: boolean): IndexPlan {
  const { layout, first, second } = found;
  const missing = buildIndexes(database, catalog, {
    interactions: first === null ? [] : [...new Set(["interactions", first.table.name.toLowerCase()])],
    patterns: holdsPatterns(catalog),
  });
  const old =
    layout.treatment === "convert" && first !== null
      ? dropFieldIndexes(database, catalog, first.table.name)
      : keptFieldIndexes(database, catalog);
  // They go with their table.
  const others = second === null ? [] : fieldIndexes(database, catalog, second.table.name);
  if (!deferred)
    return {
      drop: old.steps,
      build: missing.steps,
      dropped: [...old.names, ...others],
      built: missing.names,
      notes: [],
    };
  return {
    drop: [],
    build: [],
    dropped: others,
    built: [],
    notes: missing.names.length === 0 ? [] : [noteOn(missing.names, old.names)],
  };
}

function noteOn(missing: readonly string[], old: readonly string[]): string {
  const stay = old.length === 0 ? "" : ` Those of the old layout stay meanwhile: ${old.join(", ")}.`;
  return `not built yet, as asked for: ${missing.join(", ")}.${stay} Run up again without --defer-indexes to build them; a program of version 16 that opens the database builds those of its own table.`;
}
