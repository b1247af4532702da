import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { killAfter, start } from "./programs/run_program.ts";
import { connect } from "../legacy/legacy_database.ts";

const [ERASED, KEPT] = ["agent-7f3a@example.org", "kept-agent"];

/** Uses of two patterns by two agents; SQLite leaves the bytes of rows that another program deletes. */
function layOut(
  { PatternLibrary, PatternPersistence }: typeof v16,
  uses = 1200,
): { path: string; library: v16.PatternLibrary } {
  const path = join(freshFolder(), "patterns.db");
  const library = new PatternLibrary();
  for (const id of ["p1", "p2"]) library.contribute("owner", { id, pattern_type: "t", name: "n" });
  for (let use = 0; use < uses; use += 1)
    library.recordUsage(`p${1 + (use % 2)}`, use % 3 > 0 ? KEPT : ERASED, use % 5 > 0);
  PatternPersistence.saveToSqlite(library, path);
  return { path, library };
}

/** Names of files next to a database with the bytes of a text. */
const filesWith = (path: string, text: string): string[] =>
  readdirSync(dirname(path)).filter((name) => readFileSync(join(dirname(path), name)).includes(text));

/** The counters of each pattern, and those that its rows give. */
function countersOf(path: string): { stored: unknown[]; ofRows: unknown[] } {
  const database = connect(path);
  const all = (sql: string): unknown[] => database.prepare(sql).raw().all();
  const stored = all("SELECT id, usage_count, success_count, failure_count FROM patterns ORDER BY id");
  const ofRows = all(
    `SELECT patterns.id, count(uses.id), count(CASE WHEN success THEN 1 END), count(CASE WHEN NOT success THEN 1 END)
     FROM patterns LEFT JOIN pattern_usage AS uses ON pattern_id = patterns.id GROUP BY 1 ORDER BY 1`,
  );
  database.close();
  return { stored, ofRows };
}

describe.each([
  ["15", v15 as unknown as typeof v16],
  ["16", v16],
])("line %s", (name, line) => {
  const { PatternPersistence } = line;

  test("deletes the uses of an agent, and the counters are those of the rows that are left", () => {
    const { path, library } = layOut(line);
    const lastUsed = library.get("p1")?.last_used;
    expect(PatternPersistence.deleteUsage(path, { agent_id: ERASED })).toEqual({ usageRows: 400, patterns: 2 });
    const { stored, ofRows } = countersOf(path);
    expect(stored).toEqual(ofRows);
    const loaded = PatternPersistence.loadFromSqlite(path);
    expect(loaded.get("p1")).toMatchObject({ usage_count: 400, last_used: lastUsed, agent_id: "owner" });
    expect(PatternPersistence.deleteUsage(path, { agent_id: ERASED })).toEqual({ usageRows: 0, patterns: 0 });
  });

  test("deletes the uses of a pattern, or those of an agent of a pattern", () => {
    const { path } = layOut(line);
    expect(PatternPersistence.deleteUsage(path, { agent_id: ERASED, pattern_id: "p1" })).toEqual({
      usageRows: 200,
      patterns: 1,
    });
    expect(PatternPersistence.deleteUsage(path, { pattern_id: "p2" })).toEqual({ usageRows: 600, patterns: 1 });
    const { stored, ofRows } = countersOf(path);
    expect(stored).toEqual(ofRows);
    expect(stored).toEqual([
      ["p1", 400, 320, 80],
      ["p2", 0, 0, 0],
    ]);
  });

  test("a library that was loaded before keeps what it counts since", () => {
    const { path, library } = layOut(line);
    library.recordUsage("p1", KEPT, true);
    PatternPersistence.deleteUsage(path, { agent_id: ERASED });
    PatternPersistence.saveToSqlite(library, path);
    const { stored, ofRows } = countersOf(path);
    expect(stored).toEqual(ofRows);
    expect(stored[0]).toEqual(["p1", 401, 321, 80]);
  });

  test("leaves no byte with erase, also of rows that another program deleted before", () => {
    const { path } = layOut(line);
    const other = connect(path);
    other.exec(`PRAGMA secure_delete = OFF; DELETE FROM pattern_usage WHERE agent_id = '${ERASED}' AND id % 4 = 0`);
    other.close();
    expect(filesWith(path, ERASED)).not.toEqual([]);
    PatternPersistence.deleteUsage(path, { agent_id: ERASED, erase: true });
    expect(filesWith(path, ERASED)).toEqual([]);
    expect(filesWith(path, KEPT)).not.toEqual([]);
  });

  test.each([1, 2])("may be killed after step %d, and repeats the call for the rest", async (steps) => {
    const { path } = layOut(line, 30_000);
    const words = [`v${name}`, path, "usage", ERASED, "erase"];
    const done = Number(await killAfter(start("delete_rows.ts", ...words), steps));
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(10_000);
    const { stored, ofRows } = countersOf(path);
    expect(stored).toEqual(ofRows);
    const { usageRows } = PatternPersistence.deleteUsage(path, { agent_id: ERASED, erase: true });
    expect(usageRows).toBeLessThanOrEqual(10_000 - done);
    expect(countersOf(path).stored).toEqual([
      ["p1", 10_000, 8000, 2000],
      ["p2", 10_000, 8000, 2000],
    ]);
    expect(filesWith(path, ERASED)).toEqual([]);
  });

  test("reports its progress after each stored step; an error of the callback ends it", () => {
    const { path } = layOut(line);
    const seen: { done: number; total: number }[] = [];
    const onProgress = (progress: { done: number; total: number }): void => void seen.push(progress);
    PatternPersistence.deleteUsage(path, { agent_id: ERASED, pattern_id: "p1", onProgress });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.at(-1)).toEqual({ done: 200, total: 200 });
    const stop = (): never => {
      throw new Error("enough");
    };
    expect(() => PatternPersistence.deleteUsage(path, { agent_id: ERASED, onProgress: stop })).toThrow(/^enough$/);
    const { stored, ofRows } = countersOf(path);
    expect(stored).toEqual(ofRows);
    expect(PatternPersistence.deleteUsage(path, { agent_id: ERASED }).usageRows).toBeLessThan(200);
    expect(() => PatternPersistence.deleteUsage(path, { agent_id: "a", onProgress: 1 } as never)).toThrow(
      expect.objectContaining({ code: "PERDURA_VALIDATION", argument: "onProgress" }),
    );
  });

  test.each([undefined, freshFolder()])("a store deletes its uses, in memory or in a file (%#)", (folder) => {
    using persistence = line.openPersistence(
      folder === undefined ? { persistence_enabled: false } : { persistence_path: join(folder, line.VERSION) },
    );
    const { patterns } = persistence;
    expect(patterns.deleteUsage({ agent_id: ERASED })).toEqual({ usageRows: 0, patterns: 0 });
    const library = new line.PatternLibrary();
    library.contribute("owner", { id: "p1", pattern_type: "t", name: "n" });
    for (const agent of [ERASED, KEPT, ERASED]) library.recordUsage("p1", agent, true);
    patterns.save(library);
    expect(() => patterns.deleteUsage({} as never)).toThrow(expect.objectContaining({ code: "PERDURA_VALIDATION" }));
    expect(patterns.deleteUsage({ agent_id: ERASED, erase: true })).toEqual({ usageRows: 2, patterns: 1 });
    expect(patterns.load().get("p1")).toMatchObject({ usage_count: 1 });
    patterns.close();
    expect(() => patterns.deleteUsage({ agent_id: KEPT })).toThrow(expect.objectContaining({ code: "PERDURA_CLOSED" }));
  });

  test("counters of other programs, which have no rows, do not become negative", () => {
    const { path } = layOut(line);
    const other = connect(path);
    other.exec("UPDATE patterns SET usage_count = 5, success_count = 7 WHERE id = 'p1'");
    other.close();
    PatternPersistence.deleteUsage(path, { agent_id: KEPT });
    expect(PatternPersistence.loadFromSqlite(path).get("p1")).toMatchObject({ usage_count: 0, success_count: 0 });
  });

  test("refuses neither an agent nor a pattern, and a missing file; a trigger that keeps a row is an error", () => {
    const { path } = layOut(line);
    for (const options of [{}, { agent_id: undefined }, { agent: "a" }, { pattern_id: 5 }] as never[])
      expect(() => PatternPersistence.deleteUsage(path, options)).toThrow(
        expect.objectContaining({ code: "PERDURA_VALIDATION" }),
      );
    expect(() => PatternPersistence.deleteUsage(`${path}.missing`, { agent_id: "a" })).toThrow(
      expect.objectContaining({ code: "PERDURA_FILE_NOT_FOUND" }),
    );
    const before = countersOf(path);
    const other = connect(path);
    other.exec("CREATE TRIGGER mine BEFORE DELETE ON pattern_usage BEGIN SELECT RAISE(IGNORE); END");
    other.close();
    expect(() => PatternPersistence.deleteUsage(path, { agent_id: KEPT })).toThrow(
      expect.objectContaining({ code: "PERDURA_STORAGE" }),
    );
    expect(countersOf(path)).toEqual(before);
  });
});

test("the asynchronous store deletes its uses", async () => {
  const { path } = layOut(v16);
  await using persistence = await v16.openPersistenceAsync({ persistence_path: dirname(path) });
  expect(await persistence.patterns.deleteUsage({ agent_id: ERASED, pattern_id: "p1" })).toEqual({
    usageRows: 200,
    patterns: 1,
  });
});
