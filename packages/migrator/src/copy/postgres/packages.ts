import { MissingPackageError } from "@perdura/internals/errors/errors.js";
import type { PostgresOptions, PostgresTables } from "@perdura/postgres/tables";
import type { from } from "pg-copy-streams";

/** Opens the tables of perdura behind an address. */
type OpenTables = (place: string, options: PostgresOptions) => PostgresTables;

/** What only those have who copy to or from PostgreSQL. */
interface PostgresPackages {
  open: OpenTables;
  copyFrom: typeof from;
}

/** @throws MissingPackageError, which says what to install. */
export async function loadPostgresPackages(): Promise<PostgresPackages> {
  const needed = "copy needs packages that are not installed: npm install @perdura/postgres pg pg-copy-streams";
  const [open, streams] = await orMissing(needed, () => Promise.all([loadTables(needed), import("pg-copy-streams")]));
  return { open, copyFrom: streams.from };
}

/**
 * Loads what reads the tables of perdura in PostgreSQL; the driver already, so that nothing is begun where it is missing.
 *
 * @param needed Says what to install.
 * @throws MissingPackageError with that sentence.
 */
export async function loadTables(needed: string): Promise<OpenTables> {
  const [tables] = await orMissing(needed, () => Promise.all([import("@perdura/postgres/tables"), import("pg")]));
  return (place, options) => new tables.PostgresTables(place, options);
}

async function orMissing<Loaded>(needed: string, load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new MissingPackageError(needed, { cause });
  }
}
