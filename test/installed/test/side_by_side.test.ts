import { expect, inject, test } from "vitest";
import { BareFolder } from "../src/bare_folder.ts";

/** A library of each line is passed through the other one, and each keeps its own behaviour. */
const PROGRAM = `
import * as fifteen from "perdura-15/persistence";
import { PatternLibrary } from "perdura-16/pattern_library";
import { PatternPersistence } from "perdura-16/pattern_persistence";
import { MetricsCollector } from "perdura-16/metrics_collector";
import { VERSION } from "perdura-16";

const old = new fifteen.PatternLibrary();
old.contribute("agent-1", { id: "retry", pattern_type: "sequential", name: "Retry once" });
PatternPersistence.saveToSqlite(old, "patterns.db");
const loaded = fifteen.PatternPersistence.loadFromSqlite("patterns.db");
console.log(loaded.get("retry")?.name, loaded instanceof PatternLibrary, VERSION.split(".")[0]);

const before = new fifteen.MetricsCollector("metrics-15.db");
before.recordMetric("alice", 4, true, 10);
const after = new MetricsCollector("metrics-16.db");
after.recordInteraction("alice", 4, true, 10);
after.recordMetric("alice", true, 20);
console.log(before.getUserStats("alice").level_4_count, after.getUserStats("alice").total_operations);
before.close();
after.close();
`;

test.for([
  ["npm", ["install"]],
  ["pnpm", ["add"]],
] as const)("%s installs both lines next to each other", ([client, command]) => {
  const folder = new BareFolder(inject("npmRegistry"));
  folder.fine(client, ...command, "perdura-15@npm:perdura@latest-15", "perdura-16@npm:perdura@latest");
  expect(folder.program(PROGRAM)).toBe("Retry once false 16\n1 2\n");
});
