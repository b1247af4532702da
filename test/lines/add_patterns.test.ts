import { join } from "node:path";
import type * as v16 from "@perdura/v16";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { LINES } from "./both_lines.ts";

describe.for(LINES)("a save that only adds ($name)", ({ line }) => {
  const newPath = (): string => join(freshFolder(), "patterns.db");
  const libraryOf = (...named: [id: string, name: string][]): v16.PatternLibrary => {
    const library = new line.PatternLibrary() as v16.PatternLibrary;
    for (const [id, name] of named) library.contribute("a", { id, pattern_type: "t", name, tags: [name] });
    return library;
  };
  const load = (path: string): v16.PatternLibrary => line.PatternPersistence.loadFromSqlite(path) as never;
  const save = (library: v16.PatternLibrary, path: string): void =>
    void line.PatternPersistence.saveToSqlite(library as never, path);
  const add = (library: v16.PatternLibrary, path: string) =>
    line.PatternPersistence.saveToSqlite(library as never, path, { mode: "add" });

  test("adds new patterns, and keeps what others have stored", () => {
    const path = newPath();
    expect(add(libraryOf(["p1", "mine"], ["p2", "mine"]), path)).toMatchObject({ patterns: 2, removedPatterns: 0 });
    expect(add(libraryOf(["p2", "other"], ["p3", "other"]), path)).toMatchObject({ patterns: 1 });
    expect([...load(path).patterns.values()].map(({ id, name, tags }) => [id, name, tags])).toEqual([
      ["p1", "mine", ["mine"]],
      ["p2", "mine", ["mine"]],
      ["p3", "other", ["other"]],
    ]);
  });

  test("adds uses to a pattern that another program has changed and used meanwhile", () => {
    const path = newPath();
    save(libraryOf(["p1", "before"]), path);
    const [mine, other] = [load(path), load(path)];
    other.contribute("a", { id: "p1", pattern_type: "t", name: "after", tags: [] });
    other.recordUsage("p1", "b", false);
    save(other, path);
    mine.recordUsage("p1", "a", true);
    mine.recordUsage("p1", "a", true);
    expect(add(mine, path)).toMatchObject({ patterns: 0, usageRows: 2 });
    const uses = { usage_count: 3, success_count: 2, failure_count: 1 };
    expect(load(path).get("p1")).toMatchObject({ name: "after", tags: [], ...uses });
    expect(add(mine, path)).toMatchObject({ patterns: 0, usageRows: 0 });
    expect(load(path).get("p1")).toMatchObject(uses);
  });

  test("leaves counts alone that do not come from recorded uses", () => {
    const path = newPath();
    const library = libraryOf(["p1", "n"]);
    library.recordUsage("p1", "a", true);
    save(library, path);
    const given = libraryOf();
    given.contribute("b", { id: "p1", pattern_type: "t", name: "n", usage_count: 9, success_count: 9 });
    given.contribute("b", { id: "p2", pattern_type: "t", name: "n", usage_count: 9, success_count: 9 });
    add(given, path);
    expect(load(path).get("p1")).toMatchObject({ usage_count: 1, agent_id: "a" });
    expect(load(path).get("p2")).toMatchObject({ usage_count: 9, agent_id: "b" });
  });

  test("does not acknowledge a pattern that a trigger leaves out", () => {
    const path = newPath();
    save(libraryOf(["p1", "n"]), path);
    const program = new Database(path);
    onTestFinished(() => void program.close());
    program.exec("CREATE TRIGGER no BEFORE INSERT ON patterns WHEN NEW.id = 'p2' BEGIN SELECT RAISE(IGNORE); END");
    expect(() => add(libraryOf(["p1", "n"], ["p2", "n"]), path)).toThrow(
      "a trigger on the table patterns ignored the row. Nothing was written.",
    );
    expect(load(path).size).toBe(1);
  });
});
