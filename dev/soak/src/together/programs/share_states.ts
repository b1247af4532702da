import { StateManager } from "@perdura/v15";
import { SHARED_USERS, stateFault, stateOf } from "../common_states.ts";
import { say, untilSignal } from "./say.ts";

/**
 * `share_states.ts DIRECTORY NAME`: saves and loads the state of its own user and those of shared users. Prints `saved
 * USER VERSION` once it is stored.
 */
const [directory = "", name = ""] = process.argv.slice(2);
const states = new StateManager(directory);
const seen = new Map<string, number>();
let version = 0;

await untilSignal(() => {
  version += 1;
  const shared = SHARED_USERS[version % SHARED_USERS.length] as string;
  for (const user of [name, shared]) {
    states.saveState(user, stateOf(user, name, version));
    say("saved", `${user} ${version}`);
  }
  for (const user of [name, ...SHARED_USERS]) look(user);
  if (version % 5 === 0) {
    if (!states.deleteState(name)) say("wrong", `the state of ${name} was missing when it was to be deleted`);
    if (states.loadState(name) !== null) say("wrong", `the state of ${name} exists after it was deleted`);
    states.saveState(name, stateOf(name, name, version));
  }
  const users = states.listUsers();
  for (const user of [name, shared]) if (!users.includes(user)) say("wrong", `${user} has a state, but is not listed`);
});

function look(user: string): void {
  const state = states.loadState(user);
  if (state === null) return;
  const fault = stateFault(user, state);
  if (fault !== undefined) say("wrong", fault);
  const key = `${user} ${String(state["writer"])}`;
  const found = Number(state.interaction_count);
  const before = seen.get(key) ?? 0;
  if (found < before) say("wrong", `version ${found} of ${key} followed version ${before}`);
  seen.set(key, found);
  if (user === name && found !== version) say("wrong", `${user} saved version ${version} and sees ${found}`);
  say("checked", 1);
}
