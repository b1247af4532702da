import { existsSync } from "node:fs";
import { loadOptional } from "@perdura/internals/errors/optional_packages.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import type { Access } from "@perdura/internals/files/access.js";
import { saveLibraryToJson } from "@perdura/internals/patterns/json_save.js";
import { PatternLibrary } from "@perdura/internals/patterns/library.js";
import type { Pattern } from "@perdura/internals/patterns/pattern.js";
import { PatternPersistence } from "@perdura/internals/patterns/persistence.js";
import { saveLibraryToSqlite } from "@perdura/internals/patterns/sqlite_save.js";
import { isPostgresAddress } from "@perdura/internals/text/addresses.js";

/** A library that receives patterns. */
export interface PatternTarget {
  /** Path, or the address of a server without its password. */
  place: string;
  /** The patterns in it; undefined if it does not exist. */
  known: ReadonlyMap<string, Pattern> | undefined;
  /** Ids of rows that are not patterns; a pattern with such an id would replace the row. */
  invalid: ReadonlySet<string | undefined>;
  /** Adds patterns, or replaces those with the same ids. */
  write(patterns: readonly Pattern[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the library that receives patterns: a document if the name ends `.json`, an SQLite database at another path, or
 * the tables in PostgreSQL.
 *
 * @param access Owner, group and mode of a new file; undefined for those of this user and the umask.
 * @throws CorruptDataError for a document with invalid patterns.
 */
export function openTarget(
  place: string,
  schema: string | undefined,
  access: Access | undefined,
): Promise<PatternTarget> {
  if (isPostgresAddress(place)) return postgresTarget(place, schema);
  return Promise.resolve(/\.json$/i.test(place) ? documentTarget(place, access) : databaseTarget(place, access));
}

/** The whole document is written again, so that an invalid pattern would be lost: such a target is refused. */
function documentTarget(place: string, access: Access | undefined): PatternTarget {
  const library = existsSync(place) ? PatternPersistence.loadFromJson(place) : undefined;
  return {
    place,
    known: library?.patterns,
    invalid: new Set(),
    write: async (patterns) => saveLibraryToJson(libraryOf(patterns, library), place, {}, access),
    close: async () => undefined,
  };
}

function databaseTarget(place: string, access: Access | undefined): PatternTarget {
  const invalid = new Set<string | undefined>();
  const options = { onInvalid: ({ id }: { id?: string | undefined }) => invalid.add(id) };
  return {
    place,
    known: existsSync(place) ? PatternPersistence.loadFromSqlite(place, options).patterns : undefined,
    invalid,
    write: async (patterns) => void saveLibraryToSqlite(libraryOf(patterns), place, {}, access),
    close: async () => undefined,
  };
}

async function postgresTarget(address: string, schema: string | undefined): Promise<PatternTarget> {
  const [{ PostgresPatternPersistence }, { PostgresTables }] = await loadOptional(
    "PostgreSQL needs",
    ["@perdura/postgres", "pg"],
    () => Promise.all([import("@perdura/postgres"), import("@perdura/postgres/tables")]),
  );
  // Only for its address without a password: no connection is opened.
  const { place } = new PostgresTables(address);
  const store = new PostgresPatternPersistence(address, { schema });
  const invalid = new Set<string | undefined>();
  const known = await store.load({ onInvalid: ({ id }) => invalid.add(id) }).then(
    ({ patterns }) => patterns,
    (error: unknown) => {
      if (isPerduraError(error, "PERDURA_FILE_NOT_FOUND")) return undefined;
      throw error;
    },
  );
  return {
    place,
    known,
    invalid,
    write: async (patterns) => void (await store.save(libraryOf(patterns))),
    close: () => store.close(),
  };
}

function libraryOf(patterns: readonly Pattern[], library: PatternLibrary = new PatternLibrary()): PatternLibrary {
  for (const pattern of patterns) {
    library.patterns.delete(pattern.id);
    library.contribute(pattern.agent_id, pattern);
  }
  return library;
}
