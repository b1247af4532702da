import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isPerduraError, StateManager } from "perdura-15";
import type { Chance } from "../../../../../test/hostile/chance.ts";
import { faultsOfError } from "../judge_error.ts";
import type { Bench, Try } from "../reader.ts";
import { differenceOf } from "../same_value.ts";
import { hostileDocument, STATE } from "../../../../../test/hostile/documents.ts";
import { depthOf, plainly } from "./strict_text.ts";

/** Collaboration states, which only the pre-16 line reads. */
export function ofAlice({ directory }: Bench): Try {
  const states = new StateManager(join(directory, "state"));
  mkdirSync(join(directory, "state"));
  return { document: (chance) => tryOne(states, chance, directory) };
}

function tryOne(states: StateManager, chance: Chance, directory: string): string[] {
  const bytes = hostileDocument(chance.made(STATE), chance);
  return judgeState(states, bytes, join(directory, "state", "alice.json"));
}

/** Loads the state of `alice`, then saves and loads the state that it was read as. */
export function judgeState(states: StateManager, bytes: Buffer, path: string): string[] {
  writeFileSync(path, bytes);
  const { isJson, text } = plainly(bytes);
  try {
    const state = states.loadState("alice");
    if (state === null) return ["an existing state was not found"];
    if (!isJson) return ["accepted, but is not JSON in UTF-8"];
    if (!Object.hasOwn(state, "user_id") || state.user_id !== "alice") return ["the state belongs to another user"];
    if (depthOf(text) > 1000) return refusedToSave(states, state);
    states.saveState("alice", state);
    const [known, reloaded] = [JSON.stringify(state), JSON.stringify(states.loadState("alice"))];
    return differenceOf(known, reloaded).map((found) => `not the same after saving: ${found}`);
  } catch (error) {
    const faults = faultsOfError(error, { names: path });
    if (!readFileSync(path).equals(bytes)) faults.push(`refused, but changed: ${String(error).slice(0, 300)}`);
    if (isJson === isPerduraError((error as Error).cause, "PERDURA_JSON_DECODE"))
      faults.push(`reported as ${String(error).slice(0, 300)}`);
    return faults;
  }
}

function refusedToSave(states: StateManager, state: Parameters<StateManager["saveState"]>[1]): string[] {
  try {
    states.saveState("alice", state);
    // The text may be deeper than the state that was read from it.
    return [];
  } catch (error) {
    return faultsOfError(error);
  }
}
