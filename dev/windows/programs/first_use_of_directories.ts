import { deepEqual, equal } from "node:assert/strict";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { openPersistence } from "perdura";
import { StateManager } from "perdura-15/persistence";

/** Directories that do not exist: relative, absolute, nested, in both forms of a path. */
for (const path of ["./data", "a/b/c", resolve("absolute"), resolve("d", "e"), String.raw`back\slash`]) {
  for (const times of [1, 2]) {
    const persistence = openPersistence({ user_id: "alice", persistence_path: path });
    persistence.metrics.recordInteraction("alice", 2, true, 35);
    equal(persistence.metrics.getGlobalStats().total_interactions, times);
    persistence.close();
  }
  const states = new StateManager(`${path}/states`);
  states.saveState("alice", { user_id: "alice", trust_level: 0.7 });
  deepEqual(readdirSync(`${path}/states`), ["alice.json"]);
}
