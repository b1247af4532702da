// A process of its own that saves, loads, lists and deletes one state over and over. Arguments: directory, rounds.
import { StateManager } from "@perdura/v15";

const [directory, rounds] = process.argv.slice(2) as [string, string];
const manager = new StateManager(directory);
for (let round = 0; round < Number(rounds); round += 1) {
  manager.saveState("User", { user_id: "User", trust_level: 0.5, round });
  manager.loadState("User");
  manager.listUsers();
  manager.deleteState("User");
}
