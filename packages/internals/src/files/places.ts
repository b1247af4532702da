import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { FileNotFoundError, ValidationError } from "../errors/errors.ts";
import { withStorage } from "./storage_errors.ts";
import { isAddress, isMistypedAddress } from "../text/addresses.ts";
import { describe } from "../text/describe.ts";
import { isDatabaseHead } from "./guarded_file.ts";
import { irregularKind } from "./irregular_kind.ts";
import { readHead } from "./read_bytes.ts";

/** The path of a file or directory: text, or a `file:` URL. */
export type FilePath = string | URL;

/**
 * Returns the text of a path, and any other value as it is, for the checks that follow.
 *
 * @throws ValidationError for a URL that names no file on this machine.
 */
export function pathText(argument: string, path: FilePath): string {
  if (!isUrl(path)) return path;
  try {
    return fileURLToPath(path);
  } catch (cause) {
    throw new ValidationError(
      `expected a path or the URL of a file on this machine, such as new URL("metrics.db", import.meta.url), got a URL of the kind ${path.protocol}; it is not shown, because it may contain a password. Nothing was written.`,
      { argument, cause },
    );
  }
}

/** Also for a URL of another realm, such as those of test runners. */
function isUrl(path: unknown): path is URL {
  return typeof path === "object" && path !== null && Object.prototype.toString.call(path) === "[object URL]";
}

/** Rejects values that are not paths; otherwise a later call would fail with a confusing error. */
export function assertPath(argument: string, path: unknown): asserts path is string {
  if (typeof path !== "string" || path === "" || path.includes("\0")) {
    throw new ValidationError(`expected a file path, got ${describe(path)}. Nothing was written.`, { argument });
  }
  assertNoHomeSign(argument, path);
  if ((isAddress(path) || isMistypedAddress(path)) && !existsSync(dirname(path))) {
    throw new ValidationError(
      `expected a file path, got text that looks like an address; it is not shown, because it may contain a password. Nothing was written.`,
      { argument },
    );
  }
}

/** Rejects `~/metrics.db`: only a shell replaces the sign, and a directory with that name would be created. */
export function assertNoHomeSign(argument: string, path: string): void {
  if (!/^~(?:[/\\]|$)/.test(path) || existsSync("~")) return;
  throw new ValidationError(
    `${path} begins with ~, which only a shell replaces with the home directory. Nothing was written. Use os.homedir().`,
    { argument },
  );
}

/**
 * Rejects paths that the database driver would read differently: it removes blanks from the ends of a path, and opens a
 * database in memory for `:memory:`.
 */
export function assertDatabasePath(argument: string, path: unknown): asserts path is string {
  assertPath(argument, path);
  if (path.trim() !== path || path === ":memory:") {
    throw new ValidationError(
      `expected the path of a database file without leading or trailing spaces, got ${describe(path)}. Nothing was written.`,
      { argument },
    );
  }
}

/** Throws an error that names the missing directory of a file, or the entry at its path that is not a file. */
export function assertWritablePlace(argument: string, path: string): void {
  const directory = dirname(path);
  withStorage(path, "looking at it", () => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined && statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new FileNotFoundError(`the directory ${directory} does not exist. Nothing was written.`, {
        argument,
        path: directory,
      });
    }
    const kind = found && irregularKind(found);
    if (kind !== undefined)
      throw new ValidationError(`${path} is ${kind}; expected a file. Nothing was written.`, { argument, path });
  });
}

/**
 * Rejects a path at which a document cannot be saved. An existing database is not replaced, because the path is
 * probably a mistake.
 */
export function assertDocumentPlace(argument: string, path: unknown): asserts path is string {
  assertPath(argument, path);
  assertWritablePlace(argument, path);
  if (!withStorage(path, "looking at it", () => holdsDatabase(path))) return;
  throw new ValidationError(
    `${path} is an SQLite database, which saving would replace with a JSON document. Nothing was written.`,
    {
      argument,
      path,
    },
  );
}

function holdsDatabase(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && isDatabaseHead(readHead(path, 16));
}
