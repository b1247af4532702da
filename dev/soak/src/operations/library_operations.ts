import { existsSync } from "node:fs";
import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import Database from "better-sqlite3";
import { mustBe, type Operation } from "./operation.ts";

/** The common part of both lines is enough. */
type Line = Pick<typeof v16, "PatternLibrary" | "PatternPersistence">;
const LINES: [string, Line][] = [
  ["15", v15 as unknown as Line],
  ["16", v16],
];

/** A little more than fits into a page of SQLite and a buffer of a writer. */
const PATTERNS = 40;
const STEPS = 2;

/** Library of a version: every pattern contains the version, and each version has one more pattern. */
export function libraryOf({ PatternLibrary }: Pick<Line, "PatternLibrary">, version: number): v16.PatternLibrary {
  const library = new PatternLibrary();
  for (let index = 0; index < PATTERNS + version; index += 1)
    library.contribute(`agent-${index % 3}`, {
      id: `p${index}`,
      pattern_type: "sequential",
      name: `version ${version}`,
      description: "ä".repeat(200),
      tags: [`t${index}`],
    });
  return library;
}

/** Version of a library that was saved completely. */
export function versionOf(library: v16.PatternLibrary): number {
  const version = library.size - PATTERNS;
  const patterns = [...library.patterns.values()];
  mustBe(
    patterns.map(({ id, name }) => [id, name]),
    Array.from({ length: PATTERNS + version }, (_, index) => [`p${index}`, `version ${version}`]),
    "the patterns",
  );
  return version;
}

interface Format {
  name: string;
  file: string;
  save: (library: v16.PatternLibrary, path: string) => void;
  load: (path: string) => v16.PatternLibrary;
  /** Checks what loading does not check; throws for damage. */
  check: (path: string) => void;
}

const formatsOf = ({ PatternPersistence: persistence }: Line): Format[] => [
  {
    name: "JSON",
    file: "library.json",
    save: (library, path) => persistence.saveToJson(library, path),
    load: (path) => persistence.loadFromJson(path),
    check: () => undefined,
  },
  {
    name: "SQLite, merging",
    file: "library.db",
    save: (library, path) => void persistence.saveToSqlite(library, path),
    load: (path) => persistence.loadFromSqlite(path),
    check: assertSound,
  },
  {
    name: "SQLite, replacing",
    file: "library.db",
    save: (library, path) => void persistence.saveToSqlite(library, path, { mode: "replace" }),
    load: (path) => persistence.loadFromSqlite(path),
    check: assertSound,
  },
];

/** A database that loads may be damaged in pages that were not read. */
function assertSound(path: string): void {
  const database = new Database(path, { readonly: true });
  try {
    mustBe(database.pragma("integrity_check", { simple: true }), "ok", "integrity_check");
  } finally {
    database.close();
  }
}

/** Version of the stored library, in a file without damage. */
function versionIn({ check, load }: Format, path: string): number {
  const version = versionOf(load(path));
  check(path);
  return version;
}

function saving([number, line]: [string, Line], format: Format, fresh: boolean): Operation {
  const path = (directory: string): string => join(directory, format.file);
  return {
    name: `${fresh ? "save a first" : "save a"} library as ${format.name} (${number})`,
    steps: STEPS,
    layOut: (directory) => (fresh ? undefined : format.save(libraryOf(line, 0), path(directory))),
    perform: (directory, acknowledge) => {
      for (let version = 1; version <= STEPS; version += 1) {
        format.save(libraryOf(line, version), path(directory));
        acknowledge();
      }
    },
    stepsIn: (directory) => (existsSync(path(directory)) || !fresh ? versionIn(format, path(directory)) : 0),
  };
}

function loading([number, line]: [string, Line], format: Format): Operation {
  const path = (directory: string): string => join(directory, format.file);
  return {
    name: `load a library from ${format.name.replace(/,.*/, "")} (${number})`,
    steps: 0,
    layOut: (directory) => format.save(libraryOf(line, 0), path(directory)),
    perform: (directory) => mustBe(versionOf(format.load(path(directory))), 0, "the version that was loaded"),
    stepsIn: (directory) => versionIn(format, path(directory)),
  };
}

/** Saving libraries, with and without an existing one; and loading them. */
export const LIBRARY_OPERATIONS: readonly Operation[] = LINES.flatMap((line) =>
  formatsOf(line[1]).flatMap((format, index) => [
    saving(line, format, false),
    saving(line, format, true),
    ...(index < 2 ? [loading(line, format)] : []),
  ]),
);
