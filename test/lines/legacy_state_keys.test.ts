import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { StateManager } from "@perdura/v15";
import { expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";

function directoryWith(text: string): string {
  const directory = freshFolder();
  writeFileSync(join(directory, "alice.json"), text);
  return directory;
}

const LEGACY_STATE = {
  user_id: "alice",
  trust_level: 0.5,
  current_level: 2,
  total_interactions: 7,
  successful_interventions: 4,
  failed_interventions: 3,
  session_start: "2025-01-02T03:04:05.678901",
  saved_at: "2025-01-03T03:04:05",
  trust_trajectory: [0.4, 0.5],
};

test("counts and times under legacy keys fill the fields, and stay as extra keys", () => {
  const states = new StateManager(directoryWith(JSON.stringify(LEGACY_STATE)));
  expect(states.loadState("alice")).toEqual({
    ...LEGACY_STATE,
    interaction_count: 7,
    success_count: 4,
    failure_count: 3,
    created_at: LEGACY_STATE.session_start,
    last_interaction: LEGACY_STATE.saved_at,
  });
});

test("a legacy key does not overwrite an existing field, even if that is null", () => {
  const own = { interaction_count: 1, success_count: 0, failure_count: 1, created_at: null, last_interaction: null };
  const states = new StateManager(directoryWith(JSON.stringify({ ...LEGACY_STATE, ...own })));
  expect(states.loadState("alice")).toEqual({ ...LEGACY_STATE, ...own });
});

test.each([
  { total_interactions: "many" },
  { total_interactions: 1.5 },
  { session_start: "yesterday" },
  { session_start: "2025-01-02T03:04:05Z" },
  { saved_at: 1_700_000_000 },
  { saved_at: ["2025-01-02T03:04:05"] },
])("a value that is invalid for the field stays only an extra key: %j", (extra) => {
  const state = { user_id: "alice", trust_level: 0.5, ...extra };
  expect(new StateManager(directoryWith(JSON.stringify(state))).loadState("alice")).toEqual(state);
});

test("both the fields and the extra keys are saved again", () => {
  const states = new StateManager(directoryWith(JSON.stringify(LEGACY_STATE)));
  const read = states.loadState("alice");
  states.saveState("alice", { ...(read as NonNullable<typeof read>), interaction_count: 8 });
  expect(states.loadState("alice")).toMatchObject({ interaction_count: 8, total_interactions: 7 });
});

test("reads tokens of non-finite numbers as null or as text if the option nonFinite is set", () => {
  const directory = directoryWith(
    '{"user_id": "alice", "trust_level": 0.5, "trust_trajectory": [NaN, -Infinity], "note": "NaN"}',
  );
  expect(() => new StateManager(directory).loadState("alice")).toThrow(
    expect.objectContaining({ name: "CorruptDataError", message: expect.stringContaining("the token NaN") }),
  );
  const read = (nonFinite: "null" | "text") => new StateManager(directory, { nonFinite }).loadState("alice");
  expect(read("null")).toMatchObject({ trust_trajectory: [null, null], note: "NaN" });
  expect(read("text")).toMatchObject({ trust_trajectory: ["NaN", "-Infinity"], note: "NaN" });
  expect(() => new StateManager(directory, { nonFinite: "zero" as never })).toThrow(
    'options.nonFinite: expected "null" or "text", got "zero".',
  );
});
