import { writeSync } from "node:fs";
import { StateManager } from "@perdura/v15";

// A separate process that saves one user's state, longer and shorter in turn, until it is killed. Argument: directory.

const manager = new StateManager(process.argv[2] as string);
for (let turn = 1; ; turn += 1) {
  manager.saveState("user", {
    user_id: "user",
    trust_level: 0.5,
    interaction_count: turn,
    notes: "x".repeat(turn % 2 === 0 ? 10 : 200_000),
  });
  // A reader may be slow: process.stdout would queue the line, and this loop never lets it send the queue.
  writeSync(1, `${turn}\n`);
}
