import { loadOptional } from "@perdura/internals/errors/optional_packages.js";
import type { PostgresOptions, PostgresTables } from "@perdura/postgres/tables";
import type { from } from "pg-copy-streams";

/** Opens perdura's tables at an address. */
type OpenTables = (place: string, options: PostgresOptions) => PostgresTables;

/** Packages that are only needed for copies to or from PostgreSQL. */
interface PostgresPackages {
  open: OpenTables;
  copyFrom: typeof from;
}

/** @throws MissingPackageError with the installation command. */
export async function loadPostgresPackages(): Promise<PostgresPackages> {
  const [open, streams] = await loadOptional("PostgreSQL needs", ["@perdura/postgres", "pg", "pg-copy-streams"], () =>
    Promise.all([importTables(), import("pg-copy-streams")]),
  );
  return { open, copyFrom: streams.from };
}

/**
 * Loads the code that reads perdura's tables in PostgreSQL.
 *
 * @throws MissingPackageError with the installation command.
 */
export function loadTables(): Promise<OpenTables> {
  return loadOptional("PostgreSQL needs", ["@perdura/postgres", "pg"], importTables);
}

/** Also loads the driver, so that a missing one is detected before any work. */
async function importTables(): Promise<OpenTables> {
  const [tables] = await Promise.all([import("@perdura/postgres/tables"), import("pg")]);
  return (place, options) => new tables.PostgresTables(place, options);
}
