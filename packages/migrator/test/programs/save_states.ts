/** `save_states.ts DIRECTORY NAME`: a program of version 15 that saves the states of a few users repeatedly. */
import { StateManager } from "@perdura/v15";
import { recordUntilEnd } from "./protocol.ts";

const [directory = "", name = ""] = process.argv.slice(2);
const manager = new StateManager(directory);
recordUntilEnd((number) => {
  const user = `${name}_${number % 4}`;
  manager.saveState(user, {
    user_id: user,
    trust_level: 0.5,
    interaction_count: number,
    notes: "x".repeat(number % 500),
  });
  return user;
});
