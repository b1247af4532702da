import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CollaborationState, StateManager } from "@perdura/v15";
import { describe, expect, test } from "vitest";
import { CASE_INSENSITIVE, LOWER_CASING } from "../case_insensitive.ts";
import { freshFolder } from "../fresh_folder.ts";
import { HOSTILE_IDS } from "./hostile_ids.ts";
import { finished, start } from "./programs/run_program.ts";
import { stateOf } from "./state_of.ts";

const state = (userId: string, trust: number): CollaborationState => ({ user_id: userId, trust_level: trust });

/** Writes a file of a pre-16 program under the raw id. */
function leave(directory: string, userId: string, trust: number): void {
  writeFileSync(join(directory, `${userId}.json`), JSON.stringify(state(userId, trust)));
}

/** Ids that share a file name on some file system; pre-16 programs have stored the first one of each list. */
const ALIKE = [
  ["Alice", ["alice", "ALICE", "aLICE"]],
  ["STRASSE", ["Strasse", "straße", "STRAẞE"]],
  ["Jos\u00e9", ["Jose\u0301", "JOS\u00c9", "jos\u00e9"]],
  ["\u212aim", ["kim", "Kim"]],
  ["\u0130x", ["i\u0307x", "ix", "Ix"]],
  ["\u01c5", ["\u01c4", "\u01c6"]],
  ["\u03a3", ["\u03c3", "\u03c2"]],
] as const;

describe.each([...CASE_INSENSITIVE, { kind: "a file system that distinguishes case", open: () => freshFolder() }])(
  "states on $kind",
  ({ open }) => {
    test("names that differ only in case are different users", (context) => {
      const directory = open(context);
      const manager = new StateManager(directory);
      const users = ["alice", "Alice", "aLICE"];
      for (const [index, user] of users.entries()) manager.saveState(user, state(user, index / 10));
      expect(manager.listUsers()).toEqual(["Alice", "aLICE", "alice"]);
      for (const [index, user] of users.entries()) expect(manager.loadState(user)).toEqual(state(user, index / 10));
      expect(manager.loadState("ALICE")).toBeNull();
      expect(manager.deleteState("ALICE")).toBe(false);
      expect(manager.deleteState("alice")).toBe(true);
      expect(manager.listUsers()).toEqual(["Alice", "aLICE"]);
    });

    test("ids that differ only in case or composition are different users", (context) => {
      const manager = new StateManager(open(context));
      const ids = [...new Set([...HOSTILE_IDS, ...ALIKE.flat(2)])];
      for (const id of ids) manager.saveState(id, stateOf(id));
      expect(new Set(manager.listUsers())).toEqual(new Set(ids));
      for (const id of ids) expect(manager.loadState(id)).toEqual(stateOf(id));
      for (const id of ids) expect([manager.deleteState(id), manager.deleteState(id)]).toEqual([true, false]);
      expect(manager.listUsers()).toEqual([]);
    });

    test("a legacy file belongs to the spelling of the id that the directory lists", (context) => {
      for (const [old, others] of ALIKE) {
        const directory = join(open(context), "states");
        mkdirSync(directory);
        leave(directory, old, 0.4);
        const manager = new StateManager(directory);
        for (const other of others) {
          expect(manager.loadState(other)).toBeNull();
          expect(manager.deleteState(other)).toBe(false);
        }
        for (const [index, other] of others.entries()) manager.saveState(other, state(other, index / 10));
        expect(manager.loadState(old)).toEqual(state(old, 0.4));
        manager.saveState(old, state(old, 0.5));
        expect(readFileSync(join(directory, `${old}.json`), "utf8")).toContain("0.5");
        expect(new Set(manager.listUsers())).toEqual(new Set([old, ...others]));
        for (const [index, other] of others.entries())
          expect(new StateManager(directory).loadState(other)).toEqual(state(other, index / 10));
        expect(manager.deleteState(old)).toBe(true);
        expect(manager.loadState(old)).toBeNull();
        expect(new Set(manager.listUsers())).toEqual(new Set(others));
        for (const [index, other] of others.entries()) {
          manager.saveState(other, state(other, 0.9 + index / 100));
          expect(manager.loadState(other)).toEqual(state(other, 0.9 + index / 100));
          expect(manager.deleteState(other)).toBe(true);
        }
        expect(readdirSync(directory)).toEqual([]);
      }
    });

    test("a foreign file or directory with a similar name is neither read nor replaced", (context) => {
      const directory = open(context);
      writeFileSync(join(directory, "123.JSON"), "kept");
      mkdirSync(join(directory, "Bob.json"));
      const manager = new StateManager(directory);
      for (const user of ["123", "bob", "Bob"]) {
        expect(manager.loadState(user)).toBeNull();
        manager.saveState(user, stateOf(user));
        expect(manager.loadState(user)).toEqual(stateOf(user));
      }
      expect(manager.listUsers()).toEqual(["123", "Bob", "bob"]);
      expect(readFileSync(join(directory, "123.JSON"), "utf8")).toBe("kept");
    });
  },
);

test("a legacy file whose name the file system stores in lower case belongs to the id in it", (context) => {
  const directory = LOWER_CASING.open(context);
  leave(directory, "Alice", 0.4);
  expect(readdirSync(directory)).toEqual(["alice.json"]);
  const manager = new StateManager(directory);
  expect([manager.listUsers(), manager.loadState("Alice"), manager.loadState("alice")]).toEqual([
    ["Alice"],
    state("Alice", 0.4),
    null,
  ]);
  expect(manager.deleteState("alice")).toBe(false);
  manager.saveState("alice", state("alice", 0.1));
  manager.saveState("Alice", state("Alice", 0.5));
  expect(manager.listUsers()).toEqual(["Alice", "alice"]);
  expect(manager.loadState("Alice")).toEqual(state("Alice", 0.5));
  expect(manager.loadState("alice")).toEqual(state("alice", 0.1));
  expect([manager.deleteState("Alice"), manager.listUsers()]).toEqual([true, ["alice"]]);
});

test("refuses to save a state whose file names are taken by directories, which are kept", () => {
  const directory = freshFolder();
  const names = ["%_alice.json", "alice.json"];
  for (const name of names) mkdirSync(join(directory, name));
  expect(() => new StateManager(directory).saveState("alice", stateOf("alice"))).toThrow(
    expect.objectContaining({ code: "PERDURA_CORRUPT_DATA", path: join(directory, "%_alice.json") }),
  );
  expect(readdirSync(directory).toSorted()).toEqual(names);
});

test("a legacy raw id that looks like an alternative name keeps its user", () => {
  const directory = freshFolder();
  leave(directory, "%_alice", 0.4);
  const manager = new StateManager(directory);
  expect(manager.listUsers()).toEqual(["%_alice"]);
  expect(manager.loadState("alice")).toBeNull();
  expect(manager.loadState("%_alice")).toEqual(state("%_alice", 0.4));
});

test("finds legacy files whose names differ only in case", () => {
  const directory = freshFolder();
  for (const [index, user] of ["alice", "Alice", "ALICE"].entries()) leave(directory, user, index / 10);
  const manager = new StateManager(directory);
  expect(manager.listUsers()).toEqual(["ALICE", "Alice", "alice"]);
  for (const [index, user] of ["alice", "Alice", "ALICE"].entries())
    expect(manager.loadState(user)).toEqual(state(user, index / 10));
});

test("a file name decomposed by HFS+ belongs to the composed id in the file", () => {
  const directory = freshFolder();
  const [composed, decomposed] = ["Jos\u00e9", "Jose\u0301"];
  writeFileSync(join(directory, `${decomposed}.json`), JSON.stringify(state(composed, 0.4)));
  const manager = new StateManager(directory);
  expect(manager.listUsers()).toEqual([composed]);
  expect(manager.loadState(decomposed)).toBeNull();
  manager.saveState(composed, state(composed, 0.5));
  expect(manager.loadState(composed)).toEqual(state(composed, 0.5));
  expect(readdirSync(directory)).toEqual([`${decomposed}.json`]);
  expect(manager.deleteState(composed)).toBe(true);
});

const exfat = CASE_INSENSITIVE.find(({ kind }) => kind === "exFAT");
test("processes that save alice and Alice do not touch the legacy file of ALICE", async (context) => {
  const directory = (exfat as (typeof CASE_INSENSITIVE)[number]).open(context);
  leave(directory, "ALICE", 0.4);
  const words = [directory, "100"] as const;
  await Promise.all([
    finished(start("churn_state.ts", ...words)),
    finished(start("churn_state.ts", ...words, "Alice")),
    finished(start("churn_state.ts", ...words, "alice")),
    finished(start("churn_state.ts", ...words, "alice")),
  ]);
  expect(readdirSync(directory)).toEqual(["ALICE.json"]);
  expect(new StateManager(directory).loadState("ALICE")).toEqual(state("ALICE", 0.4));
});
