import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type LegacyAnswers, type MigratedAnswer, readMarked } from "../../fixtures/expected.ts";
import { fixture } from "../../fixtures/paths.ts";
import type { MigrationOptions } from "../../packages/migrator/src/index.ts";

/** SQLite's possible files next to a database. */
const SIDE_FILES = ["-wal", "-journal", "-shm"] as const;

/** All databases of the field programs. */
export const LEGACY_NAMES: string[] = readdirSync(fixture("legacy"))
  .filter((name) => name.endsWith(".db"))
  .map((name) => name.slice(0, -3));

/** Expected answers of the generator for one of them. */
export function legacyAnswers(name: string): LegacyAnswers {
  return readMarked("legacy", `${name}.expected.json`) as LegacyAnswers;
}

/** One database that is migrated of each layout that none of the named ones has. */
export function furtherLayouts(names: readonly string[]): string[] {
  const known = new Set(names.map((name) => legacyAnswers(name).layout));
  const shortestFirst = LEGACY_NAMES.toSorted((one, other) => one.length - other.length);
  return shortestFirst.filter((name) => {
    const { layout, migrated } = legacyAnswers(name);
    if (known.has(layout) || migrated.at(-1)?.outcome !== "migrated") return false;
    known.add(layout);
    return true;
  });
}

/** Copies a database with its side files. */
export function copyDatabase(from: string, to: string): void {
  for (const suffix of ["", ...SIDE_FILES])
    if (existsSync(`${from}${suffix}`)) copyFileSync(`${from}${suffix}`, `${to}${suffix}`);
}

/** Copies a database of the fixtures into a directory; returns its path. */
export function layOutLegacy(name: string, directory: string): string {
  const path = join(directory, `${name}.db`);
  copyDatabase(fixture("legacy", `${name}.db`), path);
  return path;
}

/** The options of an answer, in the form of the library. */
export function optionsOf({ options }: MigratedAnswer): MigrationOptions {
  return {
    invalidRows: options["invalid-rows"],
    nonFinite: options["non-finite"],
    missingLevel: options["missing-level"] as MigrationOptions["missingLevel"],
  };
}

/** The options of an answer, for the name of a test. */
export function optionWords({ options }: MigratedAnswer): string {
  return Object.entries(options)
    .map(([option, value]) => ` --${option} ${value}`)
    .join("");
}
