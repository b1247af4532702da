import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CollaborationState, StateManager } from "@perdura/v15";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { finished, start } from "./programs/run_program.ts";
import { rawNumber } from "../random_library.ts";
import { stateOf } from "./state_of.ts";

describe("StateManager", () => {
  test("keeps keys beyond the specification, with exact numbers", () => {
    const directory = freshFolder();
    const manager = new StateManager(directory);
    const extra = {
      ...stateOf("u"),
      trust_trajectory: [0.1, -0, rawNumber("1e400")],
      shared_context: { "\ud800": rawNumber("12345678901234567890") },
    };
    manager.saveState("u", extra as CollaborationState);
    const loaded = manager.loadState("u") as CollaborationState;
    expect(JSON.stringify(loaded)).toBe(JSON.stringify(extra));
    manager.saveState("u", loaded);
    expect(readFileSync(join(directory, "u.json"), "utf8")).toContain("-0.0");
  });

  test("returns null for an unknown user", () => {
    const manager = new StateManager(freshFolder());
    for (const name of ["undefined", "null"]) manager.saveState(name, stateOf(name));
    expect(manager.loadState("nobody")).toBeNull();
  });

  test("adds no fields to a state that has only the required ones", () => {
    const directory = freshFolder();
    writeFileSync(join(directory, "u.json"), '{"user_id": "u", "trust_level": 1}');
    expect(new StateManager(directory).loadState("u")).toStrictEqual({ user_id: "u", trust_level: 1 });
  });

  test.for([
    ["cut in half", '{"user_id": "u", "trust', /:1:24: not valid JSON: the text ends inside a string/],
    ["empty", "", /end of the text/],
    ["a list", "[]", /not a collaboration state: the top: expected object/],
    [
      "with a trust level that is text",
      '{"user_id": "u", "trust_level": "high"}',
      /\/trust_level: expected number, got "high"/,
    ],
    ["with a trust level out of range", '{"user_id": "u", "trust_level": 2}', /\/trust_level: must be <= 1, got 2/],
    ["with a NaN", '{"user_id": "u", "trust_level": NaN}', /NaN/],
    ["with a broken date", '{"user_id": "u", "trust_level": 1, "created_at": "now"}', /\/created_at/],
    [
      "with a day that does not exist",
      '{"user_id": "u", "trust_level": 1, "last_interaction": "2026-02-30T03:04:05"}',
      /not a collaboration state: \/last_interaction: expected .* of the calendar, got "2026-02-30T03:04:05"/,
    ],
    ["without a user", '{"trust_level": 1}', /"user_id" is missing/],
    ["in Latin-1", Buffer.from('{"trust_level": 1, "x": "caf\xe9"}', "latin1"), /0xe9/],
  ] as const)("refuses a file that is %s, does not change it, and still lists it", ([, content, reason]) => {
    const directory = freshFolder();
    const path = join(directory, "u.json");
    writeFileSync(path, content);
    const manager = new StateManager(directory);
    expect(() => manager.loadState("u")).toThrow(
      expect.objectContaining({ name: "CorruptDataError", path, message: expect.stringMatching(reason) }),
    );
    expect(readFileSync(path)).toEqual(Buffer.from(content));
    expect(manager.listUsers()).toEqual(["u"]);
  });

  test.for([
    ["of another user", { ...stateOf("other") }, /user_id is "other", but the state is saved for "u"/],
    ["without a trust level", { user_id: "u" }, /"trust_level" is missing/],
    ["that is a list", [], /expected an object, got an array of 0/],
    ["with the hour 24", { ...stateOf("u"), created_at: "2026-01-02T24:00:00" }, /\/created_at.*calendar/],
    ["with a NaN beyond the fields", { ...stateOf("u"), extra: { deep: [Number.NaN] } }, /\/extra\/deep\/0/],
  ] as const)("refuses a state %s and keeps the stored one", ([, bad, reason]) => {
    const manager = new StateManager(freshFolder());
    manager.saveState("u", stateOf("u"));
    expect(() => manager.saveState("u", bad as never)).toThrow(reason);
    expect(manager.loadState("u")).toEqual(stateOf("u"));
  });

  test("creates a removed directory again at the next save", () => {
    const directory = join(freshFolder(), "states");
    const manager = new StateManager(directory);
    manager.saveState("a", stateOf("a"));
    rmSync(directory, { recursive: true });
    expect(manager.listUsers()).toEqual([]);
    manager.saveState("a", stateOf("a"));
    expect(manager.listUsers()).toEqual(["a"]);
  });

  test("refuses integers that a double cannot hold exactly", () => {
    const directory = freshFolder();
    writeFileSync(
      join(directory, "u.json"),
      '{"user_id": "u", "trust_level": 0.5, "interaction_count": 9007199254740993}',
    );
    expect(() => new StateManager(directory).loadState("u")).toThrow(/interaction_count/);
  });

  test("several processes can save, load, list and delete one state at once", async () => {
    const directory = freshFolder();
    await Promise.all(Array.from({ length: 4 }, () => finished(start("churn_state.ts", directory, "300"))));
    expect(readdirSync(directory)).toEqual([]);
  });

  test("lists no users in a missing directory, and ignores files that are not states", () => {
    const directory = freshFolder();
    const missing = new StateManager(join(directory, "none"));
    expect([missing.listUsers(), missing.loadState("u"), missing.deleteState("u")]).toEqual([[], null, false]);
    expect(existsSync(join(directory, "none"))).toBe(false);
    mkdirSync(join(directory, "folder.json"));
    writeFileSync(join(directory, "notes.txt"), "");
    expect(new StateManager(directory).listUsers()).toEqual([]);
    expect(new StateManager(directory).loadState("folder")).toBeNull();
  });
});
