import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { Ajv2020 } from "ajv/dist/2020.js";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { readExpected } from "../../fixtures/expected.ts";
import { layOutStates } from "../../fixtures/lay_out.ts";
import { fixture } from "../../fixtures/paths.ts";
import { freshFolder } from "../fresh_folder.ts";

const folder = fileURLToPath(new URL("../../schemas/", import.meta.url));
const schemas = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".schema.json"))
  .map(
    (name) =>
      JSON.parse(readFileSync(join(folder, name), "utf8")) as { $id: string; title: string; description: string },
  );
const ajv = new Ajv2020({ schemas, allowUnionTypes: true, strict: true });

function fits(id: string, document: unknown): boolean {
  const validate = ajv.getSchema(`urn:perdura:schema:${id}`);
  if (validate === undefined) throw new Error(`There is no schema ${id}.`);
  return validate(document) as boolean;
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

test("every schema compiles and has a title and a description", () => {
  expect(schemas).toHaveLength(12);
  for (const { $id, title, description } of schemas) {
    expect(ajv.getSchema($id), $id).toBeDefined();
    expect([title, description].every((text) => text.length > 5)).toBe(true);
  }
});

describe("pattern libraries", () => {
  const files = readdirSync(fixture("libraries")).filter(
    (name) => name.endsWith(".json") && !name.endsWith(".expected.json"),
  );

  test.for(files)("the fixture %s matches", (name) => {
    expect(fits("pattern-library", readJson(fixture("libraries", name)))).toBe(true);
  });

  /** Faults that only the reader detects: two patterns with one id, and invalid dates and times. */
  const BEYOND_A_SCHEMA = ["duplicate-id.json", "timestamp-calendar.json", "timestamp-hour.json"];
  const refused = Object.entries(readExpected("invalid", "expected.json") as Record<string, { error: string }>)
    .filter(([name, { error }]) => error === "rejected" && name.endsWith(".json"))
    .map(([name]) => name);

  test.for(refused)("the refused fixture %s does not match, unless a schema cannot express the fault", (name) => {
    expect(fits("pattern-library", readJson(fixture("invalid", name)))).toBe(BEYOND_A_SCHEMA.includes(name));
  });

  test("the documents and the rows of usage that both lines save match", () => {
    for (const line of [v15, v16]) {
      const directory = freshFolder();
      const library = new line.PatternLibrary();
      library.contribute("a", { id: "p", pattern_type: "t", name: "n", tags: ["x"], context: {} });
      library.recordUsage("p", "a", true);
      line.PatternPersistence.saveToJson(library, join(directory, "x.json"));
      expect(fits("pattern-library", readJson(join(directory, "x.json")))).toBe(true);
      expect(fits("pattern", library.get("p"))).toBe(true);
      line.PatternPersistence.saveToSqlite(library, join(directory, "x.db"));
      const database = new Database(join(directory, "x.db"));
      expect(fits("pattern-usage", database.prepare("SELECT * FROM pattern_usage").get())).toBe(true);
      database.close();
    }
  });
});

test("statistics of both lines match, for users with and without interactions", () => {
  for (const line of [v15, v16]) {
    using collector = new line.MetricsCollector(join(freshFolder(), "m.db"));
    expect(fits("user-statistics", collector.getUserStats("u"))).toBe(true);
    collector.recordInteraction("u", 5, false, 1.5);
    expect(fits("user-statistics", collector.getUserStats("u"))).toBe(true);
    expect(fits("global-statistics", collector.getGlobalStats())).toBe(true);
  }
  expect(fits("user-statistics", { total_operations: 1, success_rate: 2, avg_response_time_ms: 0 })).toBe(false);
});

test("states match if and only if they can be loaded", () => {
  for (const set of ["documented", "field", "broken"] as const) {
    const directory = freshFolder();
    const manager = new v15.StateManager(directory);
    for (const { name, expected } of layOutStates(set, directory)) {
      if (expected.status !== "state" && expected.status !== "not_a_state") continue;
      const text = readFileSync(join(directory, name), "utf8").replace("\ufeff", "");
      expect(fits("v15:collaboration-state", JSON.parse(text)), `${set}: ${name}`).toBe(expected.status === "state");
      expect(manager.listUsers()).toContain(expected.user_id);
    }
  }
});

test("a configuration matches the schema of a line if and only if the line accepts it", () => {
  const configurations = [
    {},
    { user_id: "u" },
    { user_id: "" },
    { persistence_enabled: false },
    { persistence_enabled: 0 },
    { target_level: 3 },
    { target_level: 6 },
    { other: 1 },
  ];
  for (const [line, id] of [
    [v15, "v15:configuration"],
    [v16, "v16:configuration"],
  ] as const) {
    for (const configuration of configurations) {
      const takes = (): boolean => {
        try {
          line.openPersistence({ persistence_enabled: false, ...configuration } as never).close();
          return true;
        } catch (error) {
          if (line.isPerduraError(error, "PERDURA_VALIDATION")) return false;
          throw error;
        }
      };
      expect(fits(id, configuration), `${id}: ${JSON.stringify(configuration)}`).toBe(takes());
    }
  }
});
