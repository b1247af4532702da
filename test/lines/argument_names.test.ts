import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";
import { ON_LINUX } from "../needs.ts";

describe.for(LINES)("errors of $name", ({ line }) => {
  const { MetricsCollector, PatternLibrary, PatternPersistence } = line;
  const library = new PatternLibrary();
  const inFolder = (name: string): string => join(freshFolder(), name);
  const GOOD = { id: "p", pattern_type: "t", name: "n" };

  /** Arguments of messages that begin with more than the argument. */
  const ARGUMENTS: Record<string, string> = { "pattern: /name": "pattern", "pattern: context": "pattern" };

  test.each<[string, () => unknown, string]>([
    ["filepath", () => PatternPersistence.saveToJson(library, 5 as never), "5"],
    ["filepath", () => PatternPersistence.saveToJson(library, inFolder("none/a.json")), "does not exist"],
    ["filepath", () => PatternPersistence.saveToJson(library, freshFolder()), "is a directory"],
    ["filepath", () => PatternPersistence.loadFromJson(undefined as never), "undefined"],
    ["dbPath", () => PatternPersistence.saveToSqlite(library, ""), '""'],
    ["dbPath", () => PatternPersistence.saveToSqlite(library, inFolder("none/a.db")), "does not exist"],
    ["dbPath", () => PatternPersistence.loadFromSqlite(5 as never), "5"],
    ["options", () => PatternPersistence.saveToSqlite(library, inFolder("a.db"), 5 as never), "5"],
    ["options", () => PatternPersistence.saveToSqlite(library, inFolder("a.db"), { modus: 1 } as never), "modus"],
    ["agentId", () => library.contribute("", GOOD), "not empty"],
    ["agentId", () => new PatternLibrary().contribute(5 as never, GOOD), "5"],
    ["pattern", () => library.contribute("a", undefined as never), "undefined. The library is unchanged."],
    ["pattern", () => library.contribute("a", null as never), "null. The library is unchanged."],
    ["pattern", () => library.contribute("a", "text" as never), '"text". The library is unchanged.'],
    ["pattern: /name", () => library.contribute("a", { ...GOOD, name: 5 as never }), "5. The library is unchanged."],
    ["pattern: context", () => library.contribute("a", { ...GOOD, context: { a: () => 1 } as never }), "a"],
    ["dbPath", () => new MetricsCollector("none/m.db"), "does not exist"],
  ])("begin with the name of the invalid argument: %s", (argument, call, found) => {
    expect(call).toThrow(expect.objectContaining({ message: expect.stringMatching(`^${argument}\\b`) }));
    expect(call).toThrow(expect.objectContaining({ argument: ARGUMENTS[argument] ?? argument }));
    expect(call).toThrow(found);
    expect(library.size).toBe(0);
  });

  test("name the field of a pattern as a JSON Pointer", () => {
    expect(() => library.contribute("a", { ...GOOD, name: 5 as never })).toThrow(
      expect.objectContaining({ pointer: "/name" }),
    );
  });

  test("name the failed operation when the file system refuses it", ON_LINUX, () => {
    const place = freshFolder();
    expect(() => PatternPersistence.loadFromJson(place)).toThrow(`${place}: loading failed: EISDIR`);
    // No process can create a file there.
    expect(() => PatternPersistence.saveToJson(library, "/proc/p.json")).toThrow(/^\/proc\/p\.json: saving failed: /);
    expect(() => PatternPersistence.saveToSqlite(library, "/proc/p.db")).toThrow(/^\/proc\/p\.db: opening failed: /);
  });
});
