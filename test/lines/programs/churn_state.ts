// A separate process that saves, loads, lists and deletes one state repeatedly. Arguments: directory, rounds, user
// ("User").
import { StateManager } from "@perdura/v15";

const [directory, rounds, user = "User"] = process.argv.slice(2) as [string, string, string?];
const manager = new StateManager(directory);
for (let round = 0; round < Number(rounds); round += 1) {
  manager.saveState(user, { user_id: user, trust_level: 0.5, round });
  manager.loadState(user);
  manager.listUsers();
  manager.deleteState(user);
}
