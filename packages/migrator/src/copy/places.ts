import { existsSync, type Stats, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isAddress, isNearlyAddress, isPostgresAddress } from "@perdura/internals/text/addresses.js";
import { FileNotFoundError, ValidationError } from "@perdura/internals/errors/errors.js";
import { withStorage } from "@perdura/internals/errors/storage_errors.js";
import { assertPath } from "../core/argument_checks.ts";
import { DATABASE_NAME } from "../find/unreadable.ts";
import type { SqlitePlaces } from "./sqlite/sqlite_target.ts";

/** @throws ValidationError unless one of them is an address and the other a path. */
export function assertPlaces(source: unknown, target: unknown): asserts source is string {
  const expected = "a path, or an address that begins postgres://";
  assertPath("source", source, expected);
  assertPath("target", target, expected);
  assertNoOtherAddress("source", source);
  assertNoOtherAddress("target", target);
  if (isPostgresAddress(source) !== isPostgresAddress(target)) return;
  throw new ValidationError(
    `copy: expected one path and one address that begins postgres://, got two ${isPostgresAddress(source) ? "addresses" : "paths"}. Nothing was changed.`,
  );
}

/** Taken for a path, it would be shown in the report, with the password that it may hold. */
function assertNoOtherAddress(name: string, place: string): void {
  if (isPostgresAddress(place) || !(isAddress(place) || isNearlyAddress(place))) return;
  throw new ValidationError(
    `${name}: expected a path, or an address that begins postgres://, got a text that looks like another or a mistyped address; it is not shown, because it may hold a password. Nothing was changed.`,
  );
}

/** The databases of a source. */
export function sourceFiles(source: string): string[] {
  const found = whatIs(source);
  if (found === undefined)
    throw new FileNotFoundError(`${source}: no such file or directory. Nothing was changed.`, {
      path: resolve(source),
    });
  if (!found.isDirectory()) return [source];
  const files = ["patterns.db", "metrics.db"].map((name) => join(source, name)).filter((path) => existsSync(path));
  if (files.length > 0) return files;
  throw new FileNotFoundError(`${source}: holds neither patterns.db nor metrics.db. Nothing was changed.`, {
    path: resolve(source),
  });
}

/** A directory gets `patterns.db` and `metrics.db`; what is there as a file, or is called like a database, is one. */
export function targetPlaces(target: string): SqlitePlaces {
  const shown = resolve(target);
  const found = whatIs(target);
  const isFile = found === undefined ? DATABASE_NAME.test(target) && !/[\\/]$/.test(target) : !found.isDirectory();
  return isFile
    ? { shown, patterns: shown, metrics: shown }
    : { shown, patterns: join(shown, "patterns.db"), metrics: join(shown, "metrics.db") };
}

/** Some names nothing can have, such as one that is too long: to ask is an error then. */
function whatIs(path: string): Stats | undefined {
  return withStorage(path, "looking for it", () => statSync(path, { throwIfNoEntry: false }));
}
