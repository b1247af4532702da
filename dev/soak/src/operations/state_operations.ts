import { join } from "node:path";
import { StateManager } from "@perdura/v15";
import { mustBe, type Operation } from "./operation.ts";

const STEPS = 3;
const directoryIn = (directory: string): string => join(directory, "state");

function save(directory: string, version: number): void {
  const notes = Array.from({ length: 200 }, (_, index) => `${version}: ${index}`);
  new StateManager(directoryIn(directory)).saveState("ada", {
    user_id: "ada",
    trust_level: 0.5,
    interaction_count: version,
    notes,
  });
}

/** Undefined without a state. */
function versionIn(directory: string): number | undefined {
  const state = new StateManager(directoryIn(directory)).loadState("ada");
  if (state === null) return undefined;
  const notes = state["notes"] as string[];
  mustBe([notes.length, new Set(notes.map((note) => note.split(":")[0])).size], [200, 1], "the notes of the state");
  mustBe(notes[0], `${state.interaction_count}: 0`, "the version in the notes");
  return state.interaction_count as number;
}

const saving = (fresh: boolean): Operation => ({
  name: `save ${fresh ? "a first" : "a"} state (15)`,
  steps: STEPS,
  layOut: (directory) => (fresh ? undefined : save(directory, 0)),
  perform: (directory, acknowledge) => {
    for (let version = 1; version <= STEPS; version += 1) {
      save(directory, version);
      acknowledge();
    }
  },
  stepsIn: (directory) => versionIn(directory) ?? (fresh ? 0 : Number.NaN),
});

/** Saving, loading and deleting states, pre-16 only. */
export const STATE_OPERATIONS: readonly Operation[] = [
  saving(false),
  saving(true),
  {
    name: "load a state and list users (15)",
    steps: 0,
    layOut: (directory) => save(directory, 7),
    perform: (directory) => {
      mustBe(new StateManager(directoryIn(directory)).listUsers(), ["ada"], "the users");
      mustBe(versionIn(directory), 7, "the version that was loaded");
    },
    stepsIn: (directory) => (versionIn(directory) === 7 ? 0 : Number.NaN),
  },
  {
    name: "delete a state (15)",
    steps: 1,
    layOut: (directory) => save(directory, 7),
    perform: (directory, acknowledge) => {
      new StateManager(directoryIn(directory)).deleteState("ada");
      acknowledge();
    },
    stepsIn: (directory) => (versionIn(directory) === undefined ? 1 : 0),
  },
];
