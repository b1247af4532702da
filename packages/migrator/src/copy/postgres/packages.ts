import { MissingPackageError } from "@perdura/internals/errors/errors.js";
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
  const needed = "copy needs packages that are not installed: npm install @perdura/postgres pg pg-copy-streams";
  const [open, streams] = await orMissing(needed, () => Promise.all([loadTables(needed), import("pg-copy-streams")]));
  return { open, copyFrom: streams.from };
}

/**
 * Loads the code that reads perdura's tables in PostgreSQL; also the driver, so that a missing one is detected before
 * any work.
 *
 * @param needed Message with the installation command.
 * @throws MissingPackageError with that message.
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
