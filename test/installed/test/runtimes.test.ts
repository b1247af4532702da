import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { BareFolder } from "../src/bare_folder.ts";
import { needs } from "../../needs.ts";

/** Commands of the other runtimes. */
const RUNTIMES = { bun: ["bun"], deno: ["deno", "run", "--allow-all"] } as const;
const isInstalled = (name: string): boolean => spawnSync(name, ["--version"]).status === 0;

/** Uses both lines, and the parts that depend most on Node.js: exact numbers, the writer, and loading of packages. */
const PROGRAM = `
import { MetricsCollector, PatternLibrary, PatternPersistence, openPersistenceAsync } from "perdura";
import { MetricsCollector as Collector, StateManager } from "perdura-15/persistence";

const library = new PatternLibrary();
library.contribute("agent-1", { id: "p", pattern_type: "t", name: "n", context: { big: 12345678901234567890n } });
PatternPersistence.saveToSqlite(library, "patterns.db");
PatternPersistence.saveToJson(library, "patterns.json");
for (const loaded of [PatternPersistence.loadFromSqlite("patterns.db"), PatternPersistence.loadFromJson("patterns.json")])
  console.log(loaded.get("p").context.big.rawJSON);
const metrics = new MetricsCollector("metrics.db");
metrics.recordMetric("alice", true, 20, { tool: "search" });
const writer = metrics.writer();
await writer.recordMetric("alice", true, 40);
await writer.close();
console.log(metrics.getUserStats("alice").avg_response_time_ms, metrics.exportMetrics("metrics.json"));
metrics.close();
const before = new Collector("metrics-15.db");
before.recordMetric("alice", 3, true, 10);
console.log(before.getUserStats("alice").level_3_count, new StateManager("states").loadState("alice"));
before.close();
const shared = await openPersistenceAsync({ user_id: "a", persistence_path: "postgresql://perdura@127.0.0.1:1/perdura" });
await shared.metrics.getUserStats("alice").catch((error) => console.log(error.code));
await shared.close();
`;

describe.each(["bun", "deno"] as const)("on %s", (name) => {
  test("the libraries run, and the migrator refuses it in a sentence", needs(name, !isInstalled(name)), () => {
    const [program, ...words] = RUNTIMES[name];
    const folder = new BareFolder(inject("npmRegistry"));
    folder.fine(
      "npm",
      "install",
      "perdura",
      "perdura-15@npm:perdura@latest-15",
      "@perdura/postgres",
      "pg",
      "@perdura/migrator",
    );
    folder.write("program.js", PROGRAM);
    const said = "12345678901234567890\n12345678901234567890\n30 2\n1 null\nPERDURA_STORAGE\n";
    expect(folder.fine(program, ...words, "program.js")).toBe(said);
    const migrator = join("node_modules", "@perdura", "migrator", "bin", "perdura-migrate.js");
    const { status, stderr } = folder.run(program, ...words, migrator, "up", ".");
    expect(status).toBe(2);
    expect(stderr).toMatch(
      /^perdura-migrate needs Node\.js 22\.14 or newer; this is (?:Bun|Deno) [\d.]+\. Nothing was changed\.\n$/,
    );
  });
});
