// A separate process that becomes an unprivileged user (65534) and calls the methods of a StateManager. Arguments: path of
// the state directory. Prints a JSON object: the answer of each method, or its error.
import { StateManager } from "@perdura/v15";

const [folder] = process.argv.slice(2) as [string];
const states = new StateManager(folder);
process.setgid?.(65_534);
process.setuid?.(65_534);
const METHODS: Record<string, () => unknown> = {
  listUsers: () => states.listUsers(),
  loadState: () => states.loadState("ann")?.trust_level,
  saveState: () => states.saveState("ann", { user_id: "ann", trust_level: 1 }),
  "saveState of another": () => states.saveState("bob", { user_id: "bob", trust_level: 1 }),
  deleteState: () => states.deleteState("ann"),
};
const answers = Object.entries(METHODS).map(([name, call]) => {
  try {
    return [name, call()];
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return [name, `${code} ${message}`];
  }
});
console.log(JSON.stringify(Object.fromEntries(answers)));
