import { MissingPackageError } from "@perdura/internals/errors/errors.js";
import type { PostgresOptions, PostgresTables } from "@perdura/postgres/tables";
import type { from } from "pg-copy-streams";

/** What only those have who copy to or from PostgreSQL. */
export interface PostgresPackages {
  open: (place: string, options: PostgresOptions) => PostgresTables;
  copyFrom: typeof from;
}

/** @throws MissingPackageError, which says what to install. */
export async function loadPostgresPackages(): Promise<PostgresPackages> {
  try {
    // Loaded here already, so that nothing is begun where it is missing.
    const [tables, streams] = await Promise.all([
      import("@perdura/postgres/tables"),
      import("pg-copy-streams"),
      import("pg"),
    ]);
    return {
      open: (place, options) => new tables.PostgresTables(place, options),
      copyFrom: streams.from,
    };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new MissingPackageError(
      "copy needs packages that are not installed: npm install @perdura/postgres pg pg-copy-streams",
      { cause },
    );
  }
}
