import { join } from "node:path";
import { MetricsCollector, PatternLibrary, PatternPersistence } from "@perdura/v16";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { newClient } from "./clients.ts";

test("long lists and texts are shortened, and the answer reports it", async () => {
  const folder = freshFolder();
  const library = new PatternLibrary();
  const long = "long ".repeat(5000);
  for (let count = 0; count < 60; count += 1)
    library.contribute("a", {
      id: `p${count}`,
      pattern_type: "t",
      name: long,
      description: long,
      code: long,
      context: { long },
      tags: Array.from({ length: 25 }, () => long.slice(0, 1000)),
      usage_count: count,
    });
  PatternPersistence.saveToSqlite(library, join(folder, "patterns.db"));
  const agent = await newClient(folder);
  const { document: found } = await agent.call("find_patterns", { limit: 50 });
  expect(found).toMatchObject({ matching: 60, note: expect.stringContaining("are not") as string });
  expect(JSON.stringify(found).length).toBeLessThan(70_000);
  expect(found).toHaveProperty("patterns[0].id", "p59");
  const { document: one } = await agent.call("get_pattern", { id: "p1" });
  expect(JSON.stringify(one)).toContain("more characters");
});

test("lists of users and periods have a limit, and the answer says how many are missing", async () => {
  const folder = freshFolder();
  let day = 0;
  {
    const clock = (): Date => new Date(Date.UTC(2025, 0, 1 + (day += 1)));
    using metrics = new MetricsCollector(join(folder, "metrics.db"), { clock });
    for (let user = 0; user < 120; user += 1) metrics.recordMetric(`user-${user}`, true, 1);
  }
  const agent = await newClient(folder);
  const { document: statistics } = await agent.call("get_statistics");
  expect(statistics).toMatchObject({ total_users: 120, note: "70 more users are not listed." });
  const { document: trend } = await agent.call("get_trend");
  expect(trend?.["periods"]).toHaveLength(100);
  expect(trend).toMatchObject({ note: "20 older periods are not shown." });
});

test("a pattern that cannot be read does not hide the others", async () => {
  const folder = freshFolder();
  const library = new PatternLibrary();
  for (const id of ["good", "bad"]) library.contribute("a", { id, pattern_type: "t", name: id });
  PatternPersistence.saveToSqlite(library, join(folder, "patterns.db"));
  const database = new Database(join(folder, "patterns.db"));
  database.exec("UPDATE patterns SET context = '{' WHERE id = 'bad'");
  database.close();
  const agent = await newClient(folder, "--write");
  expect(await agent.call("find_patterns")).toMatchObject({ document: { matching: 1, unreadable: 1 } });
  // A contribution would overwrite it, and with `replace` lose its recorded use.
  const contribution = { agent_id: "b", id: "bad", pattern_type: "t", name: "Another" };
  for (const [tool, asked] of [
    ["get_pattern", { id: "bad" }],
    ["contribute_pattern", contribution],
    ["contribute_pattern", { ...contribution, replace: true }],
    ["record_pattern_use", { agent_id: "b", pattern_id: "bad", success: true }],
  ] as const)
    expect((await agent.call(tool, asked)).refused).toMatch(/"bad" cannot be read: .*perdura-migrate plan/);
  await agent.call("record_pattern_use", { agent_id: "a", pattern_id: "good", success: true });
  expect(await agent.call("find_patterns")).toMatchObject({
    document: { patterns: [{ usage_count: 1 }], unreadable: 1 },
  });
});
