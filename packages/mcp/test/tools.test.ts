import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { openPersistenceAsync } from "@perdura/v16";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { type Agent, formerClient, modernClient, newClient } from "./clients.ts";

const READING = ["find_patterns", "get_pattern", "get_statistics", "get_trend", "get_breakdown"];
const WRITING = ["contribute_pattern", "record_pattern_use"];

const RETRY = { id: "retry-once", pattern_type: "sequential", name: "Retry once", tags: ["api"], confidence: 0.8 };

/** Contributes a pattern, finds it, and uses it. */
async function useLibrary(agent: Agent): Promise<void> {
  expect(await agent.call("find_patterns")).toMatchObject({ document: { patterns: [], matching: 0 } });
  const contributed = { agent_id: "a", description: "After 429, wait", context: { waits: [1, 2] }, ...RETRY };
  expect(await agent.call("contribute_pattern", contributed)).toEqual({
    document: { saved: "retry-once", replaced: false },
  });
  const use = { agent_id: "b", pattern_id: "retry-once" };
  await agent.call("record_pattern_use", { ...use, success: true });
  expect(await agent.call("record_pattern_use", { ...use, success: false })).toMatchObject({
    document: { recorded: "retry-once" },
  });
  for (const found of [{}, { text: "RETRY 429" }, { tag: "api" }, { agent_id: "a" }, { pattern_type: "sequential" }])
    expect(await agent.call("find_patterns", found)).toMatchObject({
      document: { matching: 1, patterns: [{ id: "retry-once", usage_count: 2, success_count: 1, has_code: false }] },
    });
  for (const absent of [{ text: "retry never" }, { tag: "db" }, { agent_id: "b" }, { pattern_type: "temporal" }])
    expect(await agent.call("find_patterns", absent)).toMatchObject({ document: { matching: 0 } });
}

/** Refused contributions change nothing; a replacement keeps the use. */
async function replacePattern(agent: Agent): Promise<void> {
  const changed = { agent_id: "c", ...RETRY, name: "Retry twice" };
  expect((await agent.call("contribute_pattern", changed)).refused).toContain("set replace to true");
  expect((await agent.call("contribute_pattern", { ...changed, id: "x\0" })).refused).toContain("NUL");
  expect((await agent.call("record_pattern_use", { agent_id: "c", pattern_id: "?", success: true })).refused).toContain(
    'no pattern with the id "?"',
  );
  expect(await agent.call("contribute_pattern", { ...changed, replace: true })).toMatchObject({
    document: { replaced: true },
  });
  expect(await agent.call("get_pattern", { id: "retry-once" })).toMatchObject({
    document: { pattern: { name: "Retry twice", agent_id: "a", usage_count: 2, description: null, context: null } },
  });
}

describe.for([
  ["the official client", modernClient, "2026-07-28"],
  ["the former client", formerClient, undefined],
] as const)("%s", ([, start, protocol]) => {
  test("finds, contributes and uses patterns", async () => {
    const agent = await start(freshFolder(), "--write");
    expect(agent.protocol).toBe(protocol);
    expect((await agent.tools()).map(({ name }) => name)).toEqual([...READING, ...WRITING]);
    for (const { description } of await agent.tools()) expect(description?.length).toBeGreaterThan(80);
    expect(agent.instructions()).toContain("contribute_pattern");
    await useLibrary(agent);
    await replacePattern(agent);
  });

  test("asks for statistics and trends", async () => {
    const folder = freshFolder();
    const { metrics, close } = await openPersistenceAsync({ persistence_path: folder });
    await metrics.recordInteraction("alice", 4, true, 10);
    await metrics.recordInteraction("bob", 1, false, 30);
    await close();
    const agent = await start(folder);
    expect(await agent.call("get_statistics")).toEqual({
      document: { total_users: 2, total_interactions: 2, success_rate: 0.5, users: ["alice", "bob"] },
    });
    expect(await agent.call("get_statistics", { user_id: "alice" })).toMatchObject({
      document: { user_id: "alice", total_operations: 1, level_4_count: 1, current_level: 4 },
    });
    expect(await agent.call("get_trend", { bucket: "month" })).toMatchObject({
      document: { periods: [{ total_operations: 2 }] },
    });
    expect(await agent.call("get_trend", { user_id: "alice" })).toMatchObject({
      document: { periods: [{ trust: 0.55 }] },
    });
    expect(await agent.call("get_trend", { until: "2020-01-01" })).toEqual({ document: { periods: [] } });
    expect((await agent.call("get_trend", { since: "yesterday" })).refused).toContain("since");
    expect(await agent.call("get_statistics", { since: "9000-01-01" })).toMatchObject({
      document: { total_interactions: 0 },
    });
  });

  test("asks which tool fails", async () => {
    const folder = freshFolder();
    const { metrics, close } = await openPersistenceAsync({ persistence_path: folder });
    for (const success of [true, true, false])
      await metrics.recordMetric("alice", success, 10, { tool: "search", tokens: 7 });
    await metrics.recordMetric("alice", false, 300, { tool: `${"x".repeat(199)}${"\u{1f600}".repeat(9)}` });
    await close();
    const agent = await start(folder);
    expect(await agent.call("get_breakdown", { key: "tool", numbers: ["tokens"] })).toMatchObject({
      document: {
        values: [
          { value: "search", total_operations: 3, p95: 10, numbers: { tokens: { sum: 21 } } },
          { value: `${"x".repeat(199)}\ufffd… (17 more characters)`, success_rate: 0 },
        ],
      },
    });
    expect((await agent.call("get_breakdown", { key: "" })).refused).toContain("key");
  });
});

test("without --write there are no tools that write, and no file is created", async () => {
  const folder = freshFolder();
  const agent = await newClient(folder);
  expect((await agent.tools()).map(({ name }) => name)).toEqual(READING);
  expect(agent.instructions()).not.toContain("contribute_pattern");
  for (const name of ["find_patterns", "get_statistics", "get_trend"]) await agent.call(name);
  await expect(agent.call("contribute_pattern", { agent_id: "a", ...RETRY })).rejects.toThrow();
  expect(readdirSync(folder)).toEqual([]);
});

test("with --agent, everything is written under its id, and no call can name another", async () => {
  const agent = await newClient(freshFolder(), "--write", "--agent", "reviewer");
  expect(await agent.call("contribute_pattern", { agent_id: "other", ...RETRY })).toHaveProperty("refused");
  await agent.call("contribute_pattern", RETRY);
  expect(await agent.call("find_patterns", { agent_id: "reviewer" })).toMatchObject({ document: { matching: 1 } });
});

test("a misspelt argument is refused instead of ignored", async () => {
  const agent = await newClient(freshFolder());
  expect((await agent.call("find_patterns", { tags: "api" })).refused).toContain("tags");
  expect((await agent.call("find_patterns", { limit: 1000 })).refused).toContain("limit");
});

describeWithPostgres("PostgreSQL", (postgres) => {
  test("a server of PostgreSQL has the same tools", async () => {
    const reader = await newClient(postgres.url);
    expect(await reader.call("find_patterns")).toMatchObject({ document: { matching: 0 } });
    // Only --write creates the schema.
    expect((await reader.call("get_statistics")).refused).toContain("perdura");
    await reader.close();
    const agent = await newClient(postgres.url, "--write");
    await useLibrary(agent);
    await replacePattern(agent);
    const { metrics, close } = await openPersistenceAsync({ persistence_path: postgres.url });
    await metrics.recordMetric("alice", true, 10);
    await close();
    expect(await agent.call("get_statistics")).toMatchObject({ document: { users: ["alice"] } });
  });
});

test("a directory is created with --write", async () => {
  const folder = join(freshFolder(), "new");
  const agent = await newClient(folder, "--write");
  await agent.call("contribute_pattern", { agent_id: "a", ...RETRY });
  expect(existsSync(join(folder, "patterns.db"))).toBe(true);
});
