import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CollaborationState, StateManager } from "@perdura/v15";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finished, start } from "./programs/run_program.ts";
import { rawNumber } from "./random_library.ts";
import { temporaryDirectory } from "./both_lines.ts";

const HOSTILE = [
  "../../x",
  "a/b",
  "a\\b",
  "CON",
  "con",
  "nul",
  "NUL.txt",
  "lpt1",
  "x".repeat(300),
  "é".repeat(200),
  "Alice",
  "alice",
  "%41",
  "%2541",
  "a%2fb",
  "100%",
  "%",
  " ",
  "  a ",
  "a ",
  "a.",
  ".",
  "..",
  ".hidden",
  "🙂",
  "👩‍💻",
  "José",
  "Jose\u0301",
  "tab\tuser",
  "line\nfeed",
  'quote"',
  "x.json",
  "%~",
  "*?<>|:",
  "-rf",
  "__proto__",
  "~",
  "\u202egnp.exe",
];

const state = (userId: string): CollaborationState => ({
  user_id: userId,
  trust_level: 0.75,
  current_level: 2,
  target_level: 4,
  interaction_count: 9,
  success_count: 7,
  failure_count: 2,
  last_interaction: "2026-01-02T03:04:05.123456",
  created_at: "2025-01-15T10:30:00",
});

describe("StateManager", () => {
  test("saves, lists, loads and deletes any user id, and nothing leaves the directory", () => {
    const outside = temporaryDirectory();
    const directory = join(outside, "deep", "states");
    const manager = new StateManager(directory);
    for (const id of HOSTILE) manager.saveState(id, state(id));
    expect(manager.listUsers()).toHaveLength(HOSTILE.length);
    expect(new Set(manager.listUsers())).toEqual(new Set(HOSTILE));
    for (const id of HOSTILE) expect(manager.loadState(id)).toEqual(state(id));
    const names = readdirSync(directory);
    // On a file system that ignores case or normalises Unicode these would still be different files.
    expect(new Set(names.map((name) => name.toLowerCase().normalize("NFC"))).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9 _.@+=,~%-]{1,250}\.(json|id)$/);
    for (const id of HOSTILE) {
      expect(manager.deleteState(id)).toBe(true);
      expect(manager.deleteState(id)).toBe(false);
      expect(manager.loadState(id)).toBeNull();
    }
    expect(readdirSync(directory)).toEqual([]);
    expect(readdirSync(outside)).toEqual(["deep"]);
    expect(readdirSync(dirname(directory))).toEqual(["states"]);
  });

  test("holds for random ids, several at once", () => {
    const id = fc
      .string({
        unit: fc.oneof(
          fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
          fc.constantFrom("%", "2", "f", "F", ".", " ", "/", "A", "a", "~"),
        ),
        minLength: 1,
        maxLength: 12,
      })
      .filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 6 }), (ids) => {
        const directory = temporaryDirectory();
        const manager = new StateManager(directory);
        for (const [index, userId] of ids.entries())
          manager.saveState(userId, { user_id: userId, trust_level: 0.5, index });
        expect(new Set(manager.listUsers())).toEqual(new Set(ids));
        for (const [index, userId] of ids.entries()) expect(manager.loadState(userId)?.["index"]).toBe(index);
      }),
      { numRuns: 150 },
    );
  });

  test("sorts users by code point and uses plain names where they are safe", () => {
    const directory = temporaryDirectory();
    const manager = new StateManager(directory);
    for (const id of ["zoe", "user_123", "carol@example.com", "🙂", "\uffee", "Bob"]) manager.saveState(id, state(id));
    expect(manager.listUsers()).toEqual(["Bob", "carol@example.com", "user_123", "zoe", "\uffee", "🙂"]);
    expect(readdirSync(directory)).toContain("user_123.json");
    expect(readdirSync(directory)).toContain("carol@example.com.json");
  });

  test.for(["", "a\0b", "\ud800"])("refuses the id %j everywhere", (id) => {
    const manager = new StateManager(temporaryDirectory());
    for (const call of [
      () => manager.saveState(id, state("x")),
      () => manager.loadState(id),
      () => manager.deleteState(id),
    ]) {
      expect(call).toThrow(expect.objectContaining({ code: "PERDURA_VALIDATION" }));
    }
  });

  test("keeps keys beyond the specification, with every number exact", () => {
    const directory = temporaryDirectory();
    const manager = new StateManager(directory);
    const extra = {
      ...state("u"),
      trust_trajectory: [0.1, -0, rawNumber("1e400")],
      shared_context: { "\ud800": rawNumber("12345678901234567890") },
    };
    manager.saveState("u", extra as CollaborationState);
    const loaded = manager.loadState("u") as CollaborationState;
    expect(JSON.stringify(loaded)).toBe(JSON.stringify(extra));
    manager.saveState("u", loaded);
    expect(readFileSync(join(directory, "u.json"), "utf8")).toContain("-0.0");
  });

  test("reads files that older programs named by the raw id, keeps saving into them, and deletes them", () => {
    const directory = temporaryDirectory();
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

  test("lets the file's name decide whose state it is", () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "bob.json"), JSON.stringify({ user_id: "alice", trust_level: 0.4 }));
    const manager = new StateManager(directory);
    expect(manager.loadState("bob")?.user_id).toBe("bob");
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
    ["with a trust level out of range", '{"user_id": "u", "trust_level": 2}', /\/trust_level.*2/],
    ["with a NaN", '{"user_id": "u", "trust_level": NaN}', /NaN/],
    ["with a broken date", '{"user_id": "u", "trust_level": 1, "created_at": "now"}', /\/created_at/],
    ["without a user", '{"trust_level": 1}', /"user_id" is missing/],
    ["in Latin-1", Buffer.from('{"trust_level": 1, "x": "caf\xe9"}', "latin1"), /0xe9/],
  ] as const)("refuses a file that is %s, leaves it as it is and still lists it", ([, content, reason]) => {
    const directory = temporaryDirectory();
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
    ["of another user", { ...state("other") }, /user_id is "other", but the state is saved for "u"/],
    ["without a trust level", { user_id: "u" }, /"trust_level" is missing/],
    ["that is a list", [], /expected an object, got an array of 0/],
    ["with a NaN beyond the fields", { ...state("u"), extra: { deep: [Number.NaN] } }, /\/extra\/deep\/0/],
  ] as const)("refuses a state %s and keeps the former one", ([, bad, reason]) => {
    const manager = new StateManager(temporaryDirectory());
    manager.saveState("u", state("u"));
    expect(() => manager.saveState("u", bad as never)).toThrow(reason);
    expect(manager.loadState("u")).toEqual(state("u"));
  });

  test("no id reaches the state of another, whatever its name looks like", () => {
    const directory = temporaryDirectory();
    const manager = new StateManager(directory);
    const long = "x".repeat(360);
    manager.saveState(long, { ...state(long), secret: "S" });
    const name = (readdirSync(directory).find((file) => file.endsWith(".json")) as string).slice(0, -".json".length);
    expect(manager.loadState(name)).toBeNull();
    manager.saveState(name, state(name));
    expect(manager.deleteState(name)).toBe(true);
    expect(manager.loadState(long)).toMatchObject({ secret: "S" });
    expect(manager.listUsers()).toEqual([long]);
  });

  test("deletes only what is the user's", () => {
    const directory = temporaryDirectory();
    const manager = new StateManager(directory);
    manager.saveState("alice", state("alice"));
    writeFileSync(join(directory, "alice.id"), "somebody else's");
    expect(manager.deleteState("alice")).toBe(true);
    expect(readdirSync(directory)).toEqual(["alice.id"]);
  });

  test("an old raw name that reads like an escape stays its user's, and gives way to the user of the escape", () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "a%41.json"), JSON.stringify({ ...state("a%41"), old: true }));
    writeFileSync(join(directory, ".json"), JSON.stringify(state("")));
    const manager = new StateManager(directory);
    expect(manager.listUsers()).toEqual(["a%41"]);
    expect(manager.loadState("aA")).toBeNull();
    expect(manager.loadState("a%41")).toMatchObject({ old: true });
    manager.saveState("aA", state("aA"));
    expect(manager.loadState("aA")).toEqual(state("aA"));
    expect(manager.loadState("a%41")).toMatchObject({ old: true });
    expect(manager.listUsers()).toEqual(["a%41", "aA"]);
  });

  test("a directory that is taken away comes back with the next save", () => {
    const directory = join(temporaryDirectory(), "states");
    const manager = new StateManager(directory);
    manager.saveState("a", state("a"));
    rmSync(directory, { recursive: true });
    expect(manager.listUsers()).toEqual([]);
    manager.saveState("a", state("a"));
    expect(manager.listUsers()).toEqual(["a"]);
  });

  test("integers that a double would change are refused, not rounded", () => {
    const directory = temporaryDirectory();
    writeFileSync(
      join(directory, "u.json"),
      '{"user_id": "u", "trust_level": 0.5, "interaction_count": 9007199254740993}',
    );
    expect(() => new StateManager(directory).loadState("u")).toThrow(/interaction_count/);
  });

  test("several processes may save, load, list and delete one state at once", { timeout: 60_000 }, async () => {
    const directory = temporaryDirectory();
    await Promise.all(Array.from({ length: 4 }, () => finished(start("churn_state.ts", directory, "300"))));
    expect(readdirSync(directory)).toEqual([]);
  });

  test("knows nobody in a directory that is not there, and ignores what is no state file", () => {
    const directory = temporaryDirectory();
    const missing = new StateManager(join(directory, "none"));
    expect([missing.listUsers(), missing.loadState("u"), missing.deleteState("u")]).toEqual([[], null, false]);
    expect(existsSync(join(directory, "none"))).toBe(false);
    mkdirSync(join(directory, "folder.json"));
    writeFileSync(join(directory, "notes.txt"), "");
    expect(new StateManager(directory).listUsers()).toEqual([]);
    expect(new StateManager(directory).loadState("folder")).toBeNull();
  });
});
