import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { PatternLibrary, PatternPersistence } from "@perdura/v16";
import { expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { openStore, perduraServer, type Store } from "../src/index.ts";
import { newClient } from "./clients.ts";

const EACH = 15;

test("two agents and a program use one library at once: no pattern and no use is lost", async () => {
  const folder = freshFolder();
  const path = join(folder, "patterns.db");
  const library = new PatternLibrary();
  library.contribute("program", { id: "shared", pattern_type: "t", name: "shared" });
  PatternPersistence.saveToSqlite(library, path);

  const agents = await Promise.all(["one", "two"].map((name) => newClient(folder, "--write", "--agent", name)));
  const work = agents.map(async ({ call }, agent) => {
    for (let count = 0; count < EACH; count += 1)
      await Promise.all([
        call("contribute_pattern", { id: `agent-${agent}-${count}`, pattern_type: "t", name: "n" }),
        call("record_pattern_use", { pattern_id: "shared", success: true }),
      ]);
  });
  for (let count = 0; count < EACH; count += 1) {
    const mine = PatternPersistence.loadFromSqlite(path);
    mine.contribute("program", { id: `program-${count}`, pattern_type: "t", name: "n" });
    mine.recordUsage("shared", "program", false);
    PatternPersistence.saveToSqlite(mine, path);
    // Lets the agents' answers arrive.
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(work);
  const { patterns } = PatternPersistence.loadFromSqlite(path);
  expect(patterns.size).toBe(1 + 3 * EACH);
  expect(patterns.get("shared")).toMatchObject({
    usage_count: 3 * EACH,
    success_count: 2 * EACH,
    failure_count: EACH,
  });
});

/** The server's tools, between whose loading and saving a program changes the library. */
async function interrupted(folder: string, change: () => void) {
  const store = await openStore(folder, { write: true });
  const changing: Store = {
    load: async () => {
      const loaded = await store.load();
      change();
      return loaded;
    },
    save: (changed) => store.save(changed),
    add: (added) => store.add(added),
    metrics: () => store.metrics(),
    close: () => store.close(),
  };
  const server = perduraServer(changing, { write: true, agent: "agent" });
  const client = new Client({ name: "test", version: "1.0.0" });
  const [one, other] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  onTestFinished(async () => {
    await client.close();
    await store.close();
  });
  return client;
}

test("recording a use leaves patterns as another program changed them meanwhile", async () => {
  const folder = freshFolder();
  const path = join(folder, "patterns.db");
  const library = new PatternLibrary();
  const contribute = (name: string): void => {
    for (const id of ["used", "other"]) library.contribute("program", { id, pattern_type: "t", name });
    PatternPersistence.saveToSqlite(library, path);
  };
  contribute("before");
  const client = await interrupted(folder, () => contribute("after"));
  await client.callTool({ name: "record_pattern_use", arguments: { pattern_id: "used", success: true } });
  const { patterns } = PatternPersistence.loadFromSqlite(path);
  expect(patterns.get("other")?.name).toBe("after");
  expect(patterns.get("used")).toMatchObject({ name: "after", usage_count: 1 });
});

test("a pattern that another program contributes meanwhile is not replaced", async () => {
  const folder = freshFolder();
  const path = join(folder, "patterns.db");
  const library = new PatternLibrary();
  library.contribute("program", { id: "new", pattern_type: "t", name: "theirs" });
  const client = await interrupted(folder, () => PatternPersistence.saveToSqlite(library, path));
  const contributed = { id: "new", pattern_type: "t", name: "mine" };
  const answer = await client.callTool({ name: "contribute_pattern", arguments: contributed });
  expect(answer).toMatchObject({ isError: true });
  expect(JSON.stringify(answer.content)).toContain("Nothing was written. Choose another id");
  expect(PatternPersistence.loadFromSqlite(path).get("new")).toMatchObject({ name: "theirs", agent_id: "program" });
});
