import { loadOptional } from "@perdura/internals/errors/optional_packages.js";
import type * as Pg from "pg";

/**
 * Loads the driver, which only users of PostgreSQL install.
 *
 * @throws MissingPackageError that names the package to install.
 */
export async function loadPg(): Promise<typeof Pg> {
  const loaded = await loadOptional("PostgreSQL needs", ["pg"], () => import("pg"));
  // The package is CommonJS: its exports are the default export.
  return loaded.default as unknown as typeof Pg;
}
