import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { Ajv2020 } from "ajv/dist/2020.js";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";

const schema = (name: string): object =>
  JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), "utf8")) as object;

describe.for([
  { name: "v15", column: "empathy_level", MetricsCollector: v15.MetricsCollector },
  { name: "v16", column: "level", MetricsCollector: v16.MetricsCollector },
])("exportMetrics in $name", ({ name, column, MetricsCollector }) => {
  const clock = (): Date => new Date("2026-03-04T05:06:07Z");

  function filled(directory: string): v15.MetricsCollector {
    const collector = new MetricsCollector(join(directory, "metrics.db"), { clock }) as v15.MetricsCollector;
    collector.recordInteraction("a,b", 2, true, 1.5);
    collector.recordMany([
      {
        user_id: 'say "hi"\n',
        [column]: 3,
        success: false,
        response_time_ms: 0,
        metadata: { n: 12345678901234567890n },
      } as never,
    ]);
    return collector;
  }

  test("writes one JSON document that matches its schema", () => {
    const directory = freshFolder();
    const file = join(directory, "out.json");
    using collector = filled(directory);
    expect(collector.exportMetrics(file)).toBe(2);
    const text = readFileSync(file, "utf8");
    expect(text).toContain('"metadata":{"n":12345678901234567890}');
    const document = JSON.parse(text) as Record<string, unknown>;
    const ajv = new Ajv2020({
      schemas: [schema("user_statistics"), schema("global_statistics"), schema(`${name}/interaction`)],
      allowUnionTypes: true,
    });
    const validate = ajv.compile(schema(`${name}/metrics_export`));
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    expect(document).toMatchObject({
      metadata: { exported_at: "2026-03-04T05:06:07", interaction_count: 2 },
      users: { "a,b": collector.getUserStats("a,b") },
      global: { total_users: 2 },
      interactions: [
        {
          id: 1,
          user_id: "a,b",
          [column]: 2,
          success: true,
          response_time_ms: 1.5,
          timestamp: "2026-03-04 05:06:07",
          metadata: null,
        },
        { id: 2, success: false },
      ],
    });
  });

  test("writes a line of JSON for each interaction, and CSV as in RFC 4180", () => {
    const directory = freshFolder();
    using collector = filled(directory);
    expect(collector.exportMetrics(join(directory, "out.jsonl"))).toBe(2);
    expect(
      readFileSync(join(directory, "out.jsonl"), "utf8")
        .trimEnd()
        .split("\n")
        .map((row) => (JSON.parse(row) as { id: number }).id),
    ).toEqual([1, 2]);
    expect(collector.exportMetrics(join(directory, "out.CSV"))).toBe(2);
    expect(readFileSync(join(directory, "out.CSV"), "utf8")).toBe(
      `id,user_id,${column},success,response_time_ms,timestamp,metadata\r\n1,"a,b",2,true,1.5,2026-03-04 05:06:07,\r\n2,"say ""hi""\n",3,false,0,2026-03-04 05:06:07,"{""n"":12345678901234567890}"\r\n`,
    );
  });

  test("writes an empty document for an empty database", () => {
    const directory = freshFolder();
    using collector = new MetricsCollector(join(directory, "metrics.db"), { clock });
    expect(collector.exportMetrics(join(directory, "out.json"))).toBe(0);
    expect(JSON.parse(readFileSync(join(directory, "out.json"), "utf8"))).toEqual({
      metadata: { exported_at: "2026-03-04T05:06:07", interaction_count: 0 },
      users: {},
      global: { total_users: 0, total_interactions: 0, success_rate: 0 },
      interactions: [],
    });
  });

  test("keeps metadata that is not JSON as text", () => {
    const directory = freshFolder();
    using collector = filled(directory);
    const database = new Database(join(directory, "metrics.db"));
    database.exec(`UPDATE interaction_metadata SET metadata = '{"a": NaN}'`);
    database.close();
    collector.exportMetrics(join(directory, "out.jsonl"));
    expect(JSON.parse(readFileSync(join(directory, "out.jsonl"), "utf8").split("\n")[1] as string)).toMatchObject({
      metadata: null,
      metadata_text: '{"a": NaN}',
    });
  });

  test("refuses another extension and does not change an existing file", () => {
    const directory = freshFolder();
    using collector = filled(directory);
    for (const file of ["out.xml", "out", "json", ".json.bak", "out.__proto__"]) {
      const refused = () => collector.exportMetrics(join(directory, file));
      expect(refused).toThrow(/expected a name ending in .json, .jsonl or .csv/);
      expect(refused).toThrow(expect.objectContaining({ argument: "filepath" }));
      expect(existsSync(join(directory, file))).toBe(false);
    }
    writeFileSync(join(directory, "old.json"), "old");
    collector.close();
    expect(() => collector.exportMetrics(join(directory, "old.json"))).toThrow(/closed/);
    expect(readFileSync(join(directory, "old.json"), "utf8")).toBe("old");
    expect(readdirSync(directory).filter((each) => each.includes("perdura-tmp"))).toEqual([]);
  });
});
