import { type Compacted, rewrite } from "../../sqlite/compact.ts";
import { type ErasedDatabase, eraseTexts } from "../../sqlite/erase_texts.ts";
import { declareRollupReady, isRollupReady } from "../rollup/handover.ts";
import type { RowsToDelete } from "./deletion_arguments.ts";

/**
 * Overwrites what SQLite left of deleted interactions, and empties the log; see {@link eraseTexts}. The sums stay valid,
 * because no row changes.
 */
export function eraseLeftovers(erased: ErasedDatabase, rows: RowsToDelete): Generator<void, void> {
  const { database, change } = erased;
  return eraseTexts(erased, {
    what: "interactions",
    // The rows of all users may have left something anywhere.
    text: rows.before === undefined ? (rows.userId ?? "") : "",
    tables: OF_METRICS,
    values: HAS_METADATA,
    changeSchema: (work) =>
      change(() => {
        const isReady = isRollupReady(database);
        work();
        if (isReady) declareRollupReady(database);
      }),
    rewrite: () => void rewriteKeepingSums(erased),
  });
}

/**
 * Tables with data of users; `perdura_days` and `perdura_value_days` have none. The id of a user is in the rows of
 * interactions and of sums, and in indexes; metadata may be anything.
 */
const OF_METRICS =
  /^(?:interactions|interaction_metadata|perdura_(?:user_rollup|user_days|stale_users|user_key_days|key_values))$/i;

/** Tables and indexes with values of metadata, which may be anything. */
const HAS_METADATA = /^(?:interaction_metadata|perdura_key_values|sqlite_autoindex_perdura_key_values_1)$/i;

/** Rewrites the database. That counts as a change of the schema, although it changes no row. */
export function rewriteKeepingSums({ database, path, waits, change }: ErasedDatabase): Compacted {
  const version = (): number => database.pragma("schema_version", { simple: true }) as number;
  const before = database.transaction(() => (isRollupReady(database) ? version() : undefined))();
  const sizes = rewrite(database, path, waits);
  change(() => {
    if (before !== undefined && version() === before + 1) declareRollupReady(database);
  });
  return sizes;
}
