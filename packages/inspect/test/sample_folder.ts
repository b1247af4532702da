import { join } from "node:path";
import { StateManager } from "@perdura/v15";
import { MetricsCollector, PatternLibrary, PatternPersistence } from "@perdura/v16";
import { freshFolder } from "../../../test/fresh_folder.ts";

/** A folder with a metrics database, a library in both formats, and states. */
export function layOut(): string {
  const folder = freshFolder();
  let now = "2026-01-05T10:00:00Z";
  const metrics = new MetricsCollector(join(folder, "metrics.db"), { clock: () => new Date(now) });
  metrics.recordInteraction("alice", 3, true, 120);
  metrics.recordInteraction("alice", 4, false, 80);
  now = "2026-01-12T10:00:00Z";
  metrics.recordInteraction("bob", 1, true, 10);
  metrics.recordInteraction("alice", 4, true, 30);
  metrics.close();
  const library = new PatternLibrary();
  for (const [id, agent_id, confidence, tags] of [
    ["retry", "reviewer", 0.9, ["api", "net"]],
    ["cache", "reviewer", 0.4, ["api"]],
    ["split", "planner", 0.7, null],
  ] as const)
    library.contribute(agent_id, {
      id,
      pattern_type: "behaviour",
      name: `Pattern ${id}`,
      confidence,
      tags: tags && [...tags],
    });
  library.recordUsage("retry", "reviewer", true);
  PatternPersistence.saveToSqlite(library, join(folder, "patterns.db"));
  const states = new StateManager(join(folder, "state"));
  states.saveState("alice", { user_id: "alice", trust_level: 0.75, current_level: 4 });
  return folder;
}
