import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";
import { contentOf, contentOfDocument, libraryOf, patterns } from "../random_library.ts";

/** Two overlapping sets of patterns, in different order. */
const beforeAndAfter = fc
  .tuple(patterns, patterns)
  .chain(([before, others]) =>
    fc.tuple(
      fc.constant(before),
      fc.shuffledSubarray([...before, ...others.filter(({ id }) => !before.some((one) => one.id === id))]),
    ),
  );

describe.for(LINES)("random libraries in $name", ({ line }) => {
  const { PatternLibrary, PatternPersistence } = line;

  test("are unchanged by JSON, except for the T in timestamps", () => {
    const file = join(freshFolder(), "library.json");
    fc.assert(
      fc.property(patterns, (contributed) => {
        const library = libraryOf(PatternLibrary, contributed);
        PatternPersistence.saveToJson(library, file);
        const loaded = PatternPersistence.loadFromJson(file);
        expect(contentOf(loaded)).toBe(contentOfDocument(library));
        expect(loaded.agentContributions).toEqual(library.agentContributions);
      }),
    );
  });

  test("are unchanged by SQLite, and by SQLite after JSON except for the T in timestamps", () => {
    const directory = freshFolder();
    let run = 0;
    fc.assert(
      fc.property(patterns, (contributed) => {
        run += 1;
        const [first, file, second] = [`${run}a.db`, `${run}.json`, `${run}b.db`].map((name) =>
          join(directory, name),
        ) as [string, string, string];
        const library = libraryOf(PatternLibrary, contributed);
        PatternPersistence.saveToSqlite(library, first);
        const stored = PatternPersistence.loadFromSqlite(first);
        expect(contentOf(stored)).toBe(contentOf(library));
        PatternPersistence.saveToJson(stored, file);
        PatternPersistence.saveToSqlite(PatternPersistence.loadFromJson(file), second);
        expect(contentOf(PatternPersistence.loadFromSqlite(second))).toBe(contentOfDocument(library));
      }),
      { numRuns: 60 },
    );
  });

  test("replace makes any database equal to the library", () => {
    const directory = freshFolder();
    let run = 0;
    fc.assert(
      fc.property(beforeAndAfter, ([before, after]) => {
        run += 1;
        const database = join(directory, `${run}.db`);
        PatternPersistence.saveToSqlite(libraryOf(PatternLibrary, before), database);
        const library = libraryOf(PatternLibrary, after);
        const { removedPatterns } = PatternPersistence.saveToSqlite(library, database, { mode: "replace" });
        const kept = new Set(after.map(({ id }) => id));
        expect(removedPatterns).toBe(before.filter(({ id }) => !kept.has(id)).length);
        expect(contentOf(PatternPersistence.loadFromSqlite(database))).toBe(contentOf(library));
      }),
      { numRuns: 40 },
    );
  });
});
