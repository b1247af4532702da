import { linkSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { StateManager } from "@perdura/v15";
import * as v16 from "@perdura/v16";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { finished, killAfter, killAtFirstFile, start } from "./programs/run_program.ts";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";

const WRITERS = 8;
const ROWS = 2000;

describe.for(LINES)("several processes at once in $name", ({ name, line }) => {
  test(`${WRITERS} processes that record ${ROWS} rows each lose none and see no error`, async () => {
    const path = join(freshFolder(), "metrics.db");
    await Promise.all(
      Array.from({ length: WRITERS }, (_, writer) =>
        finished(start("record_rows.ts", name, path, `user-${writer}`, String(ROWS))),
      ),
    );
    using collector = new line.MetricsCollector(path);
    expect(collector.getGlobalStats()).toEqual({
      total_users: WRITERS,
      total_interactions: WRITERS * ROWS,
      success_rate: 0.5,
    });
    for (const user of collector.getAllUsers()) expect(collector.getUserStats(user).total_operations).toBe(ROWS);
  });
});

test("concurrent merges of several agents into one database lose no pattern and no use", async () => {
  const path = join(freshFolder(), "patterns.db");
  const agents = ["a", "b", "c", "d"];
  await Promise.all(agents.map((agent) => finished(start("save_patterns.ts", path, agent, "25"))));
  const library = v16.PatternPersistence.loadFromSqlite(path);
  for (const agent of agents) expect(library.byAgent(agent)).toHaveLength(25);
  const database = new Database(path, { readonly: true });
  expect(database.prepare("SELECT count(*) FROM pattern_usage").pluck().get()).toBe(100);
  database.close();
});

/** Moments of death: each child is killed after that many finished saves, so somewhere during the next one. */
const MOMENTS = [1, 2, 3, 5, 8, 13];

describe("after kill -9", () => {
  test.for(["json", "sqlite"])(
    "a pattern library in %s is complete, and the next save works and cleans up",
    async (format) => {
      const { PatternLibrary, PatternPersistence } = v16;
      const directory = freshFolder();
      const path = join(directory, format === "json" ? "library.json" : "library.db");
      for (const moment of MOMENTS) {
        await killAfter(start("save_forever.ts", format, path), moment);
        const load = format === "json" ? PatternPersistence.loadFromJson : PatternPersistence.loadFromSqlite;
        const library = load(path);
        expect([10, 400]).toContain(library.size);
        expect(new Set([...library.patterns.values()].map(({ name }) => name)).size).toBe(1);
      }
      if (format === "json") PatternPersistence.saveToJson(new PatternLibrary(), path);
      else PatternPersistence.saveToSqlite(new PatternLibrary(), path, { mode: "replace" });
      expect(readdirSync(directory)).toEqual([format === "json" ? "library.json" : "library.db"]);
    },
  );

  test("a database whose first save was killed is either missing or complete", async () => {
    for (let trial = 0; trial < 6; trial += 1) {
      const directory = freshFolder();
      const path = join(directory, "library.db");
      await killAtFirstFile(start("save_forever.ts", "sqlite", path), directory);
      try {
        expect([10, 400]).toContain(v16.PatternPersistence.loadFromSqlite(path).size);
      } catch (error) {
        if (!v16.isPerduraError(error, "PERDURA_FILE_NOT_FOUND")) throw error;
      }
      // A save that writes: one without changes would leave the empty journal of a process that was killed before its
      // first write.
      const library = new v16.PatternLibrary();
      library.contribute("agent", { id: "next", pattern_type: "a", name: "a" });
      v16.PatternPersistence.saveToSqlite(library, path);
      expect(readdirSync(directory)).toEqual(["library.db"]);
    }
  });

  test("the next save removes a hard link to the database that a killed writer left", () => {
    const directory = freshFolder();
    const path = join(directory, "library.db");
    v16.PatternPersistence.saveToSqlite(new v16.PatternLibrary(), path);
    linkSync(path, join(directory, ".library.db.0123abcd-999999-0a1b2c3d.perdura-tmp"));
    utimesSync(path, 0, 0);
    v16.PatternPersistence.saveToSqlite(new v16.PatternLibrary(), path);
    expect(readdirSync(directory)).toEqual(["library.db"]);
  });

  test("a state is complete, and at least as new as the last finished save", async () => {
    const directory = freshFolder();
    for (const moment of MOMENTS) {
      const last = Number(await killAfter(start("save_states_forever.ts", directory), moment));
      expect(new StateManager(directory).loadState("user")?.interaction_count).toBeGreaterThanOrEqual(last);
    }
    new StateManager(directory).saveState("user", { user_id: "user", trust_level: 1 });
    expect(readdirSync(directory)).toEqual(["user.json"]);
  });

  test("every acknowledged row is stored", async () => {
    const path = join(freshFolder(), "metrics.db");
    for (const moment of MOMENTS) {
      const last = Number(await killAfter(start("record_forever.ts", path), moment * 20));
      using collector = new v16.MetricsCollector(path);
      expect(collector.getGlobalStats().total_interactions).toBeGreaterThanOrEqual(last);
    }
  });
});
