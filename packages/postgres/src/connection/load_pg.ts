import { MissingPackageError } from "@perdura/internals/errors/errors.js";
import type * as Pg from "pg";

/**
 * Loads the driver, which only users of PostgreSQL install.
 *
 * @throws MissingPackageError that names the package to install.
 */
export async function loadPg(): Promise<typeof Pg> {
  try {
    const loaded = await import("pg");
    // The package is CommonJS: its exports are the default export.
    return loaded.default as unknown as typeof Pg;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new MissingPackageError("PostgreSQL needs the package pg, which is not installed: npm install pg", {
      cause,
    });
  }
}
