import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { LINES } from "./both_lines.ts";

type Library = v16.PatternLibrary;

/** Counts of a pattern as the rows of `pattern_usage` give them. */
function countsOfRows(path: string, id: string): unknown {
  const database = new Database(path, { readonly: true });
  try {
    return database
      .prepare(
        "SELECT count(*) AS usage_count, coalesce(sum(success), 0) AS success_count, count(*) - coalesce(sum(success), 0) AS failure_count FROM pattern_usage WHERE pattern_id = ?",
      )
      .get(id);
  } finally {
    database.close();
  }
}

const clockAt = (seconds: number): { clock: () => Date } => ({
  clock: () => new Date(Date.UTC(2025, 0, 1, 0, 0, seconds)),
});

describe.for(LINES)("two programs that save one library in a database ($name)", ({ line }) => {
  const { PatternLibrary, PatternPersistence } = line;

  function saved(): string {
    const path = join(freshFolder(), "patterns.db");
    const library = new PatternLibrary();
    library.contribute("a", { id: "p", pattern_type: "s", name: "n" });
    PatternPersistence.saveToSqlite(library, path);
    return path;
  }

  const load = (path: string): Library => PatternPersistence.loadFromSqlite(path) as Library;
  const save = (library: Library, path: string): void => PatternPersistence.saveToSqlite(library as never, path);

  test("all uses are counted, and no pattern is lost", () => {
    const path = saved();
    const [one, other] = [load(path), load(path)];
    one.recordUsage("p", "A", true);
    other.recordUsage("p", "B", false);
    other.recordUsage("p", "B", true);
    one.contribute("A", { id: "ofA", pattern_type: "s", name: "x" });
    other.contribute("B", { id: "ofB", pattern_type: "s", name: "x" });
    save(one, path);
    save(other, path);
    const found = load(path);
    expect([...found.patterns.keys()]).toEqual(["p", "ofA", "ofB"]);
    expect(found.get("p")).toMatchObject({ usage_count: 3, success_count: 2, failure_count: 1 });
    expect(found.get("p")).toMatchObject(countsOfRows(path, "p") as object);
  });

  test("a library that was not used does not take back the uses of others", () => {
    const path = saved();
    const idle = load(path);
    const busy = load(path);
    busy.recordUsage("p", "B", true);
    save(busy, path);
    const lastUsed = load(path).get("p")?.last_used;
    save(idle, path);
    save(idle, path);
    expect(load(path).get("p")).toMatchObject({ usage_count: 1, success_count: 1, last_used: lastUsed });
  });

  test("the later time of a use is kept, also if that program saves first", () => {
    const path = saved();
    const [early, late] = [1, 2].map((seconds) => {
      const library = new PatternLibrary(clockAt(seconds));
      for (const pattern of load(path).patterns.values()) library.patterns.set(pattern.id, pattern as never);
      return library as Library;
    }) as [Library, Library];
    for (const library of [early, late]) library.recordUsage("p", "A", true);
    save(late, path);
    save(early, path);
    expect(load(path).get("p")).toMatchObject({ usage_count: 2, last_used: "2025-01-01T00:00:02" });
  });

  test("programs that contribute their own copy of a pattern count together", () => {
    const path = join(freshFolder(), "patterns.db");
    for (const agent of ["A", "B"]) {
      const library = new PatternLibrary();
      library.contribute(agent, { id: "p", pattern_type: "s", name: "n" });
      library.recordUsage("p", agent, true);
      PatternPersistence.saveToSqlite(library, path);
    }
    expect(load(path).get("p")).toMatchObject({ usage_count: 2, success_count: 2 });
  });

  test("counts that the caller sets are stored as they are", () => {
    const path = saved();
    const library = load(path);
    (library.get("p") as v16.Pattern).usage_count = 7;
    save(library, path);
    expect(load(path).get("p")?.usage_count).toBe(7);
    (library.get("p") as v16.Pattern).usage_count = 2;
    save(library, path);
    expect(load(path).get("p")?.usage_count).toBe(2);
    const copy = new PatternLibrary();
    copy.contribute("a", { id: "p", pattern_type: "s", name: "n", usage_count: 40 });
    PatternPersistence.saveToSqlite(copy, path);
    expect(load(path).get("p")?.usage_count).toBe(40);
  });

  test("the mode replace makes the table equal to the library", () => {
    const path = saved();
    const [one, other] = [load(path), load(path)];
    one.recordUsage("p", "A", true);
    save(one, path);
    PatternPersistence.saveToSqlite(other as never, path, { mode: "replace" });
    expect(load(path).get("p")?.usage_count).toBe(0);
  });

  test("any order of loads, uses and saves by three programs keeps the counts equal to the rows", () => {
    const ids = ["p", "q"];
    const step = fc.record({
      program: fc.integer({ min: 0, max: 2 }),
      action: fc.oneof(
        fc.record({ use: fc.constantFrom(...ids), success: fc.boolean() }),
        fc.constantFrom("load", "save", "contribute"),
      ),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const path = saved();
        const programs = [load(path), load(path), load(path)];
        const run = (library: Library, action: (typeof steps)[number]["action"]): void => {
          if (typeof action === "object") {
            if (library.get(action.use) !== undefined) library.recordUsage(action.use, "X", action.success);
          } else if (action === "save") save(library, path);
          else if (library.get("q") === undefined) library.contribute("X", { id: "q", pattern_type: "s", name: "n" });
        };
        for (const { program, action } of steps) {
          if (action === "load") programs[program] = load(path);
          else run(programs[program] as Library, action);
        }
        for (const [id, pattern] of load(path).patterns)
          expect(pattern).toMatchObject(countsOfRows(path, id) as object);
      }),
      { numRuns: 60 },
    );
  });
});

test("a library of one line that the other line saves knows its counts", () => {
  const path = join(freshFolder(), "patterns.db");
  const library = new v15.PatternLibrary();
  library.contribute("a", { id: "p", pattern_type: "s", name: "n" });
  v15.PatternPersistence.saveToSqlite(library, path);
  const [one, other] = [v15.PatternPersistence.loadFromSqlite(path), v16.PatternPersistence.loadFromSqlite(path)];
  one.recordUsage("p", "A", true);
  other.recordUsage("p", "B", true);
  v16.PatternPersistence.saveToSqlite(one as never, path);
  v15.PatternPersistence.saveToSqlite(other as never, path);
  expect(v16.PatternPersistence.loadFromSqlite(path).get("p")?.usage_count).toBe(2);
});

describe.for(LINES)("two programs that save one library in a file ($name)", ({ line }) => {
  const { PatternLibrary, PatternPersistence } = line;

  function saved(): { path: string; library: Library } {
    const path = join(freshFolder(), "patterns.json");
    const library = new PatternLibrary();
    library.contribute("a", { id: "p", pattern_type: "s", name: "n" });
    PatternPersistence.saveToJson(library, path);
    return { path, library: library as Library };
  }

  const load = (path: string): Library => PatternPersistence.loadFromJson(path) as Library;
  const save = (library: Library, path: string, options?: v16.SaveToJsonOptions): void =>
    PatternPersistence.saveToJson(library as never, path, options);
  const refusal = expect.objectContaining({ code: "PERDURA_VALIDATION" });

  test("the second save is refused, and writes nothing", () => {
    const { path } = saved();
    const [one, other] = [load(path), load(path)];
    one.recordUsage("p", "A", true);
    other.recordUsage("p", "B", true);
    save(one, path);
    const stored = readFileSync(path, "utf8");
    expect(() => save(other, path)).toThrow(refusal);
    expect(() => save(other, path)).toThrow("another program has saved this file");
    expect(readFileSync(path, "utf8")).toBe(stored);
    save(other, path, { overwrite: true });
    save(other, path);
    expect(load(path).get("p")?.usage_count).toBe(1);
  });

  test("the program that saves alone is not refused", () => {
    const { path, library } = saved();
    for (let times = 0; times < 3; times += 1) {
      library.recordUsage("p", "A", true);
      save(library, path);
    }
    const later = load(path);
    save(later, path);
    save(later, path);
    later.recordUsage("p", "A", true);
    save(later, path);
    expect(() => save(library, path)).toThrow(refusal);
    rmSync(path);
    save(library, path);
    expect(load(path).get("p")?.usage_count).toBe(3);
  });

  test("a file of another program that has the content of the library may be saved", () => {
    const { path, library } = saved();
    utimesSync(path, new Date(), new Date(Date.UTC(2030, 0, 1)));
    save(library, path);
    save(load(path), path);
    save(library, path);
    expect(load(path).size).toBe(1);
  });

  test("a file that was edited by hand is not overwritten", () => {
    const { path, library } = saved();
    const edited = readFileSync(path, "utf8").replace('"name": "n"', '"name": "m"');
    writeFileSync(path, edited);
    utimesSync(path, new Date(), new Date(Date.UTC(2030, 0, 1)));
    expect(() => save(library, path)).toThrow(refusal);
    expect(readFileSync(path, "utf8")).toBe(edited);
  });

  test("a new library still replaces a file", () => {
    const { path } = saved();
    const library = new PatternLibrary();
    library.contribute("a", { id: "other", pattern_type: "s", name: "n" });
    PatternPersistence.saveToJson(library, path);
    expect([...load(path).patterns.keys()]).toEqual(["other"]);
  });

  test("the option has to be a boolean", () => {
    const { path, library } = saved();
    expect(() => save(library, path, { overwrite: "yes" as never })).toThrow("expected a boolean");
  });
});
