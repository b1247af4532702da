// The default export, because webpack replaces calls of an imported `createRequire`.
import module from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import { MissingPackageError } from "../errors/errors.ts";

type Driver = typeof BetterSqlite3;

/** Cached, because resolving the package name takes Node.js a considerable part of the time of an opening. */
let driver: Driver | undefined;

/**
 * Loads better-sqlite3 at the first use. Node.js itself resolves the name, also in a bundle: the package contains native
 * code, which no bundler includes.
 *
 * @throws MissingPackageError if neither this module nor the program can import the package.
 */
export function loadDriver(): Driver {
  return (driver ??= driverOfModule());
}

/**
 * Tools that copy the files that a program needs, such as Next.js, recognise `require` only in this form, as a constant
 * of `module.createRequire(import.meta.url)`. Without the function `load`, our own bundler would replace the constant.
 */
function driverOfModule(): Driver {
  try {
    const require = module.createRequire(import.meta.url);
    const load = (): Driver => require("better-sqlite3") as Driver;
    return load();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return driverOfBundle(error);
  }
}

/**
 * In a bundle, `import.meta.url` is undefined (CommonJS by esbuild) or the path of this module on the machine that built
 * the bundle (webpack). There `__filename` is the path of the bundle; in ES modules it does not exist.
 */
function driverOfBundle(cause: unknown): Driver {
  const places = [typeof __filename === "string" ? __filename : undefined, process.argv[1]];
  for (const place of places) {
    try {
      return module.createRequire(place as string)("better-sqlite3") as Driver;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  const text =
    "the package better-sqlite3 was not found. Bundlers do not include it, because it contains native code. Install it where the bundle runs: npm install better-sqlite3";
  throw new MissingPackageError(text, { cause });
}

/** True if the package, or the place to search it from, does not exist. */
function isNotFound(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "MODULE_NOT_FOUND" || code === "ERR_INVALID_ARG_VALUE" || code === "ERR_INVALID_FILE_URL_PATH";
}
