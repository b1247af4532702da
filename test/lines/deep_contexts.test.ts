import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { describe, expect, test, vi } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { LINES } from "./both_lines.ts";

/** JSON text of a context with so many levels; the innermost holds a number that needs the exact writer. */
const deep = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{"n":1e400}${"}".repeat(levels - 1)}`;
const REASON = "expected at most 1000 levels of nesting, got more";

describe.for(LINES)("contexts that are nested deeply, in $name", ({ line }) => {
  const { PatternPersistence, PatternLibrary } = line;

  function document(...contexts: string[]): string {
    const file = join(freshFolder(), "library.json");
    const patterns = contexts.map(
      (context, index) =>
        `{"id": "p${index}", "agent_id": "a", "pattern_type": "t", "name": "n", "context": ${context}}`,
    );
    writeFileSync(file, `{"patterns": [${patterns.join()}]}`);
    return file;
  }

  function database(...contexts: string[]): string {
    const file = join(freshFolder(), "library.db");
    PatternPersistence.saveToSqlite(new PatternLibrary(), file);
    const connection = openDatabase(file, { intent: "change" });
    for (const [index, context] of contexts.entries())
      connection
        .prepare("INSERT INTO patterns (id, agent_id, pattern_type, name, context) VALUES (?, 'a', 't', 'n', ?)")
        .run(`p${index}`, context);
    connection.close();
    return file;
  }

  test("what is loaded can be saved in both formats", () => {
    for (const library of [
      PatternPersistence.loadFromJson(document(deep(1000), deep(999))),
      PatternPersistence.loadFromSqlite(database(deep(1000), deep(999))),
    ]) {
      const folder = freshFolder();
      PatternPersistence.saveToJson(library, join(folder, "library.json"));
      PatternPersistence.saveToSqlite(library, join(folder, "library.db"));
      expect(PatternPersistence.loadFromJson(join(folder, "library.json")).patterns).toEqual(library.patterns);
      expect(PatternPersistence.loadFromSqlite(join(folder, "library.db")).patterns).toEqual(library.patterns);
    }
  });

  test("a context that could not be saved is not loaded, and onInvalid names it", () => {
    for (const [load, path, name] of [
      [PatternPersistence.loadFromJson, document('{"a":1}', deep(1001)), "ValidationError"],
      [PatternPersistence.loadFromSqlite, database('{"a":1}', deep(1001)), "CorruptDataError"],
    ] as const) {
      expect(() => load(path)).toThrow(
        expect.objectContaining({ name, path, message: expect.stringContaining(REASON) }),
      );
      const onInvalid = vi.fn();
      expect([...load(path, { onInvalid }).patterns.keys()]).toEqual(["p0"]);
      expect(onInvalid.mock.calls).toEqual([[expect.objectContaining({ id: "p1", field: "context", reason: REASON })]]);
    }
  });
});
