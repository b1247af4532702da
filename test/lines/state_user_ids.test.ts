import fs, { readdirSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { type CollaborationState, StateManager } from "@perdura/v15";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { asOnPlatform } from "../as_on_platform.ts";
import { freshFolder } from "../fresh_folder.ts";
import { HOSTILE_IDS } from "./hostile_ids.ts";
import { stateOf } from "./state_of.ts";
import { ANY_CHARACTER } from "../any_character.ts";

describe("user ids of states", () => {
  test("saves, lists, loads and deletes states of any user id, without writing outside the directory", () => {
    const outside = freshFolder();
    const directory = join(outside, "deep", "states");
    const manager = new StateManager(directory);
    for (const id of HOSTILE_IDS) manager.saveState(id, stateOf(id));
    expect(manager.listUsers()).toHaveLength(HOSTILE_IDS.length);
    expect(new Set(manager.listUsers())).toEqual(new Set(HOSTILE_IDS));
    for (const id of HOSTILE_IDS) expect(manager.loadState(id)).toEqual(stateOf(id));
    const names = readdirSync(directory);
    // Even on a file system that ignores case or normalises Unicode, these would be different files.
    expect(new Set(names.map((name) => name.toLowerCase().normalize("NFC"))).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9 _.@+=,~%-]{1,250}\.(json|id)$/);
    for (const id of HOSTILE_IDS) {
      expect(manager.deleteState(id)).toBe(true);
      expect(manager.deleteState(id)).toBe(false);
      expect(manager.loadState(id)).toBeNull();
    }
    expect(readdirSync(directory)).toEqual([]);
    expect(readdirSync(outside)).toEqual(["deep"]);
    expect(readdirSync(dirname(directory))).toEqual(["states"]);
  });

  test("keeps random ids apart", () => {
    const id = fc
      .string({
        unit: fc.oneof(
          fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 1 }),
          fc.constantFrom("%", "2", "f", "F", ".", " ", "/", "A", "a", "~"),
        ),
        minLength: 1,
        maxLength: 12,
      })
      .filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 6 }), (ids) => {
        const directory = freshFolder();
        const manager = new StateManager(directory);
        for (const [index, userId] of ids.entries())
          manager.saveState(userId, { user_id: userId, trust_level: 0.5, index });
        expect(new Set(manager.listUsers())).toEqual(new Set(ids));
        for (const [index, userId] of ids.entries()) expect(manager.loadState(userId)?.["index"]).toBe(index);
      }),
      { numRuns: 150 },
    );
  });

  test("sorts users by code point, and names files by the plain id if it is safe", () => {
    const directory = freshFolder();
    const manager = new StateManager(directory);
    for (const id of ["zoe", "user_123", "carol@example.com", "🙂", "\uffee", "Bob"])
      manager.saveState(id, stateOf(id));
    expect(manager.listUsers()).toEqual(["Bob", "carol@example.com", "user_123", "zoe", "\uffee", "🙂"]);
    expect(readdirSync(directory)).toContain("user_123.json");
    expect(readdirSync(directory)).toContain("carol@example.com.json");
  });

  test.for(["", "a\0b", "\ud800"])("writes no state of the id %j, and knows none", (id) => {
    const manager = new StateManager(freshFolder());
    for (const call of [() => manager.saveState(id, stateOf("x")), () => manager.deleteState(id)]) {
      expect(call).toThrow(expect.objectContaining({ code: "PERDURA_VALIDATION" }));
    }
    expect(manager.loadState(id)).toBeNull();
  });

  test("reads, saves and deletes files that older programs named by the raw id", () => {
    const directory = freshFolder();
    const raw = [
      "Alice",
      "José",
      "o'brien",
      "100%",
      "x.json",
      ".hidden",
      "tab\tuser",
      "  leading",
      "trailing  ",
      "CON",
      "under_score%",
    ];
    for (const id of raw)
      writeFileSync(
        join(directory, `${id}.json`),
        JSON.stringify({ user_id: id, trust_level: 0.4, total_interactions: 3, trust_trajectory: [] }),
      );
    const manager = new StateManager(directory);
    expect(new Set(manager.listUsers())).toEqual(new Set(raw));
    for (const id of raw) {
      expect(manager.loadState(id)).toMatchObject({ total_interactions: 3 });
      manager.saveState(id, { ...(manager.loadState(id) as CollaborationState), total_interactions: 4 });
      expect(manager.loadState(id)).toMatchObject({ total_interactions: 4 });
    }
    expect(readdirSync(directory)).toHaveLength(raw.length);
    for (const id of raw) expect(manager.deleteState(id)).toBe(true);
    expect(readdirSync(directory)).toEqual([]);
  });

  test("takes the user of a state from the file name", () => {
    const directory = freshFolder();
    writeFileSync(join(directory, "bob.json"), JSON.stringify({ user_id: "alice", trust_level: 0.4 }));
    const manager = new StateManager(directory);
    expect(manager.loadState("bob")?.user_id).toBe("bob");
  });

  test("the file name of a state, used as an id, does not reach that state", () => {
    const directory = freshFolder();
    const manager = new StateManager(directory);
    const long = "x".repeat(360);
    manager.saveState(long, { ...stateOf(long), secret: "S" });
    const name = (readdirSync(directory).find((file) => file.endsWith(".json")) as string).slice(0, -".json".length);
    expect(manager.loadState(name)).toBeNull();
    manager.saveState(name, stateOf(name));
    expect(manager.deleteState(name)).toBe(true);
    expect(manager.loadState(long)).toMatchObject({ secret: "S" });
    expect(manager.listUsers()).toEqual([long]);
  });

  test("deletes only the files of the user", () => {
    const directory = freshFolder();
    const manager = new StateManager(directory);
    manager.saveState("alice", stateOf("alice"));
    writeFileSync(join(directory, "alice.id"), "somebody else's");
    expect(manager.deleteState("alice")).toBe(true);
    expect(readdirSync(directory)).toEqual(["alice.id"]);
  });

  test("a legacy raw name that looks like an escape keeps its user, next to the user of the escape", () => {
    const directory = freshFolder();
    writeFileSync(join(directory, "a%41.json"), JSON.stringify({ ...stateOf("a%41"), old: true }));
    writeFileSync(join(directory, ".json"), JSON.stringify(stateOf("")));
    const manager = new StateManager(directory);
    expect(manager.listUsers()).toEqual(["a%41"]);
    expect(manager.loadState("aA")).toBeNull();
    expect(manager.loadState("a%41")).toMatchObject({ old: true });
    manager.saveState("aA", stateOf("aA"));
    expect(manager.loadState("aA")).toEqual(stateOf("aA"));
    expect(manager.loadState("a%41")).toMatchObject({ old: true });
    expect(manager.listUsers()).toEqual(["a%41", "aA"]);
  });

  test.each([
    ["a backslash, which leads out of the directory", "..\\outside"],
    ["a colon, which names a stream", "alice:stream"],
    ["U+10FFFF, which ends the process", "a\u{10ffff}"],
  ])("does not use a raw id with %s, on Windows", (_what, id) => {
    const [manager, functions] = [new StateManager(freshFolder()), fs as { lstatSync: typeof fs.lstatSync }];
    const stat = functions.lstatSync;
    const paths: string[] = [];
    functions.lstatSync = ((...values: Parameters<typeof stat>) => {
      paths.push(String(values[0]));
      return stat(...values);
    }) as typeof stat;
    syncBuiltinESMExports();
    onTestFinished(() => {
      functions.lstatSync = stat;
      syncBuiltinESMExports();
    });
    asOnPlatform("win32");
    manager.saveState(id, stateOf(id));
    expect(manager.loadState(id)).toEqual(stateOf(id));
    expect(manager.deleteState(id)).toBe(true);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => path.includes(id))).toEqual([]);
  });
});
