import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type CollaborationState, MetricsCollector, StateManager } from "@perdura/v15";
import { expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { canMount, mount } from "../mounts.ts";
import { needs } from "../needs.ts";

const state = (userId: string): CollaborationState => ({ user_id: userId, trust_level: 0.75 });
const failure = (words: RegExp) =>
  expect.objectContaining({ code: "PERDURA_STORAGE", message: expect.stringMatching(words) as string }) as Error;

test("a state file can be a symbolic link; deleting the state removes only the link", () => {
  const directory = freshFolder();
  const elsewhere = join(freshFolder(), "kept.json");
  writeFileSync(elsewhere, JSON.stringify(state("alice")));
  symlinkSync(elsewhere, join(directory, "alice.json"));
  const manager = new StateManager(directory);
  expect(manager.loadState("alice")).toEqual(state("alice"));
  expect(manager.listUsers()).toEqual(["alice"]);
  expect(manager.deleteState("alice")).toBe(true);
  expect(readdirSync(directory)).toEqual([]);
  expect(existsSync(elsewhere)).toBe(true);
});

test("a file that cannot be read causes an error, and does not count as missing", () => {
  const directory = freshFolder();
  symlinkSync(freshFolder(), join(directory, "alice.json"));
  expect(() => new StateManager(directory).loadState("alice")).toThrow(
    failure(/alice\.json: expected a file, found a directory\.$/),
  );
});

test("an error names the failed operation, or the entry that is in its way", () => {
  const path = join(freshFolder(), "a file");
  writeFileSync(path, "");
  const manager = new StateManager(path);
  expect(() => manager.saveState("alice", state("alice"))).toThrow(failure(/a file: saving failed: E/));
  expect(() => manager.listUsers()).toThrow(failure(/a file: listing failed: ENOTDIR/));
  const directory = freshFolder();
  const long = "x".repeat(300);
  const other = new StateManager(directory);
  other.saveState(long, state(long));
  const id = join(directory, readdirSync(directory).find((name) => name.endsWith(".id")) as string);
  rmSync(id);
  mkdirSync(id);
  expect(() => other.deleteState(long)).toThrow(failure(/\.id: expected a file, found a directory\.$/));
});

test("a state file that is a mount point is neither replaced nor deleted", needs("mount", !canMount()), () => {
  const folder = freshFolder();
  const [outside, path] = [join(freshFolder(), "outside"), join(folder, "alice.json")];
  for (const each of [outside, path]) writeFileSync(each, '{"user_id": "alice"}');
  mount("--bind", outside, path);
  const states = new StateManager(folder);
  const reason = /failed: EBUSY: a mount point cannot be .* removed, .*alice\.json; .* bind its directory instead\. No/;
  expect(() => states.deleteState("alice")).toThrow(reason);
  expect(() => states.saveState("alice", state("alice"))).toThrow(reason);
  expect(readFileSync(path, "utf8")).toBe('{"user_id": "alice"}');
});

test("a digest without its .id file, or with another id in it, is listed by its name and belongs to no user", () => {
  const directory = freshFolder();
  const manager = new StateManager(directory);
  const long = "x".repeat(300);
  manager.saveState(long, state(long));
  expect(manager.listUsers()).toEqual([long]);
  const id = readdirSync(directory).find((name) => name.endsWith(".id")) as string;
  const digest = id.slice(0, -".id".length);
  writeFileSync(join(directory, id), "somebody");
  expect(manager.listUsers()).toEqual([digest]);
  expect(manager.loadState("somebody")).toBeNull();
  rmSync(join(directory, id));
  expect(manager.listUsers()).toEqual([digest]);
  expect(manager.loadState(long)).toBeNull();
  const other = { user_id: long, trust_level: 0.5 };
  manager.saveState(long, other);
  expect(manager.loadState(long)).toEqual(other);
  expect(manager.loadState(digest)).toEqual({ ...state(long), user_id: digest });
});

test("reads a file named by a raw id of any length that a file name can have", () => {
  const directory = freshFolder();
  const id = "A".repeat(250);
  writeFileSync(join(directory, `${id}.json`), JSON.stringify(state(id)));
  const manager = new StateManager(directory);
  expect(manager.loadState(id)).toEqual(state(id));
  expect(manager.loadState("A".repeat(251))).toBeNull();
});

test('ids such as "undefined" and "null" are ordinary users', () => {
  const manager = new StateManager(freshFolder());
  for (const id of ["undefined", "null", "NaN", "[object Object]"]) manager.saveState(id, state(id));
  expect(manager.loadState("nobody")).toBeNull();
  expect(manager.deleteState("nobody")).toBe(false);
  expect(manager.listUsers().toSorted()).toEqual(["NaN", "[object Object]", "null", "undefined"]);
});

test("the first save removes temporary files of killed writers, later saves do not", () => {
  const directory = freshFolder();
  const leave = (user: string): string => {
    const name = `.${user}.json.0123abcd-999999-0a1b2c3d.perdura-tmp`;
    writeFileSync(join(directory, name), "");
    utimesSync(join(directory, name), 0, 0);
    return name;
  };
  leave("before");
  const manager = new StateManager(directory);
  expect(manager.listUsers()).toEqual([]);
  expect(readdirSync(directory)).toHaveLength(1);
  manager.saveState("alice", state("alice"));
  expect(readdirSync(directory)).toEqual(["alice.json"]);
  const later = leave("later");
  manager.saveState("alice", state("alice"));
  expect(readdirSync(directory).sort()).toEqual([later, "alice.json"]);
  new StateManager(directory).saveState("alice", state("alice"));
  expect(readdirSync(directory)).toEqual(["alice.json"]);
});

test.for(["null", '{"user_id": "a%41"', "[]", '{"user_id": 5}'])(
  "a file named like an escaped id that holds %s belongs to the user of its name",
  (content) => {
    const directory = freshFolder();
    writeFileSync(join(directory, "a%41.json"), content);
    expect(new StateManager(directory).listUsers()).toEqual(["aA"]);
  },
);

test("a number longer than a double is rounded in the fields of a state, and exact elsewhere", () => {
  const directory = freshFolder();
  const path = join(directory, "u.json");
  writeFileSync(
    path,
    '{"user_id": "u", "trust_level": 0.30000000000000000000000001, "extra": 0.30000000000000000000000001}',
  );
  const loaded = new StateManager(directory).loadState("u");
  expect(loaded?.trust_level).toBe(0.3);
  expect(JSON.stringify(loaded?.["extra"])).toBe("0.30000000000000000000000001");
});

test("a refusal names the argument, the place in the state, and what is unchanged", () => {
  const manager = new StateManager(freshFolder());
  const pointing = (pointer: string) => expect.objectContaining({ code: "PERDURA_VALIDATION", pointer }) as Error;
  expect(() => manager.saveState("u", { user_id: "u", trust_level: 2 })).toThrow(pointing("/trust_level"));
  expect(() => manager.saveState("u", [] as never)).toThrow('got an array of 0. The state of "u" is unchanged.');
  expect(() => manager.saveState("u", { ...state("u"), x: Number.NaN })).toThrow('state of "u"');
  for (const call of [() => manager.saveState("", state("u")), () => manager.deleteState("")])
    expect(call).toThrow("userId: expected text that is not empty. Nothing was written.");
  expect(() => new StateManager("")).toThrow("stateDir: ");
});

test.for([
  [["", 1, true, 1], "userId: expected text that is not empty"],
  [["u", 6, true, 1], "empathyLevel: expected"],
  [["u", 1, "yes", 1], "success: expected"],
  [["u", 1, true, -1], "responseTimeMs: expected"],
] as const)("recordMetric(%j) is refused with the name of the argument", ([given, words]) => {
  using collector = new MetricsCollector(":memory:");
  expect(() => (collector.recordMetric as (...values: unknown[]) => void)(...given)).toThrow(words);
  expect(collector.getAllUsers()).toEqual([]);
});
