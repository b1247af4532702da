import { join } from "node:path";
import type * as v16 from "@perdura/v16";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { LINES } from "./both_lines.ts";
import { rowsOf } from "./collectors.ts";

describe.for(LINES)("a save that SQLite ignores in part ($name)", ({ line }) => {
  const save = (library: v16.PatternLibrary, path: string): void =>
    void line.PatternPersistence.saveToSqlite(library as never, path);

  /** A library that is stored in a database, in which SQL of another program then runs. */
  function saved(sql: string): { path: string; library: v16.PatternLibrary } {
    const path = join(freshFolder(), "patterns.db");
    const library = new line.PatternLibrary() as v16.PatternLibrary;
    for (const id of ["p1", "p2"]) library.contribute("a", { id, pattern_type: "t", name: id });
    save(library, path);
    const program = new Database(path);
    program.exec(sql);
    program.close();
    return { path, library };
  }

  const stored = (path: string): unknown => [
    rowsOf(path, "SELECT id, name FROM patterns ORDER BY id"),
    rowsOf(path, "SELECT pattern_id FROM pattern_usage"),
  ];

  const trigger = (event: string, table: string): string =>
    `CREATE TRIGGER no BEFORE ${event} ON ${table} BEGIN SELECT RAISE(IGNORE); END`;

  test.for([
    ["a new pattern", trigger("INSERT", "patterns"), "patterns"],
    ["a changed pattern", trigger("UPDATE", "patterns"), "patterns"],
    ["a use", trigger("INSERT", "pattern_usage"), "pattern_usage"],
  ] as const)("%s is not acknowledged", ([, sql, table]) => {
    const { path, library } = saved(sql);
    const before = stored(path);
    library.contribute("a", { id: "p1", pattern_type: "t", name: "another name" });
    library.contribute("a", { id: "p3", pattern_type: "t", name: "p3" });
    library.recordUsage("p2", "a", true);
    expect(() => save(library, path)).toThrow(`a trigger on the table ${table} ignored the row. Nothing was written.`);
    expect(stored(path)).toEqual(before);
    // The uses are still queued.
    const program = new Database(path);
    program.exec("DROP TRIGGER no");
    program.close();
    save(library, path);
    expect(stored(path)).toEqual([
      [
        ["p1", "another name"],
        ["p2", "p2"],
        ["p3", "p3"],
      ],
      [["p2"]],
    ]);
  });

  test("a pattern that a replacing save would remove is not kept without a word", () => {
    const { path } = saved(trigger("DELETE", "patterns"));
    const before = stored(path);
    const library = new line.PatternLibrary() as v16.PatternLibrary;
    library.contribute("a", { id: "p3", pattern_type: "t", name: "p3" });
    expect(() => line.PatternPersistence.saveToSqlite(library as never, path, { mode: "replace" })).toThrow(
      "a trigger on the table patterns ignored the row. Nothing was written.",
    );
    expect(stored(path)).toEqual(before);
  });

  test("equal patterns in a table with such a trigger are saved", () => {
    const { path, library } = saved(trigger("UPDATE", "patterns"));
    save(library, path);
    save(line.PatternPersistence.loadFromSqlite(path) as v16.PatternLibrary, path);
    expect(rowsOf(path, "SELECT count(*) FROM patterns")).toEqual([[2]]);
  });
});
