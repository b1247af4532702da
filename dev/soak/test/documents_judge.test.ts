import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PatternLibrary, PatternPersistence } from "perdura";
import { StateManager } from "perdura-15";
import { expect, test } from "vitest";
import { faultsOfError } from "../src/documents/judge_error.ts";
import { PollutionWatch } from "../src/documents/pollution.ts";
import { judgeGrowth } from "../src/documents/readers/growth.ts";
import { judgeLibrary } from "../src/documents/readers/library_json.ts";
import { judgeExport } from "../src/documents/readers/metadata.ts";
import { judgeState } from "../src/documents/readers/states.ts";
import { judgeUserId } from "../src/documents/readers/user_ids.ts";
import { contained } from "../src/documents/workers.ts";
import { timeOfStarts } from "../../../test/patience.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";

const directory = freshFolder();

const GOOD = Buffer.from(
  '{"patterns":[{"id":"p","agent_id":"a","pattern_type":"t","name":"n","context":{"a":9007199254740993}}]}',
);
const judged = (change: Partial<typeof PatternPersistence>, bytes: Buffer = GOOD): string[] =>
  judgeLibrary({ PatternPersistence: { ...methods(), ...change } as typeof PatternPersistence }, bytes, directory);
const methods = () => ({ loadFromJson: PatternPersistence.loadFromJson, saveToJson: PatternPersistence.saveToJson });
const failing = (error: Error) => () => {
  throw error;
};

test("reports nothing about a correct reader of libraries", () => {
  expect(judged({})).toEqual([]);
  expect(judged({}, Buffer.from("{"))).toEqual([]);
});

test.each([
  ["returns an empty library", { loadFromJson: () => new PatternLibrary() }, GOOD, /^read with other content/],
  ["accepts text that is not JSON", { loadFromJson: () => new PatternLibrary() }, Buffer.from("{"), /is not JSON/],
  [
    "throws an unexpected error",
    { loadFromJson: failing(new TypeError("x is undefined")) },
    GOOD,
    /^an unexpected error, not a refusal: TypeError/,
  ],
  ["fails to save", { saveToJson: failing(new RangeError("too deep")) }, GOOD, /^accepted, but not saved again/],
])("reports a reader of libraries that %s", (_, change, bytes, complaint) => {
  expect(judged(change, bytes)[0]).toMatch(complaint);
});

test("reports a reader that changes its file or rounds numbers", () => {
  const writing = (path: string): PatternLibrary => {
    const library = PatternPersistence.loadFromJson(path);
    if (path.endsWith("library.json")) writeFileSync(path, "{}");
    return library;
  };
  expect(judged({ loadFromJson: writing })).toEqual(["the document was changed"]);
  const rounding = (library: PatternLibrary, path: string): void =>
    writeFileSync(path, JSON.stringify({ patterns: [...library.patterns.values()] }).replace("993}", "992}"));
  expect(judged({ saveToJson: rounding })[0]).toMatch(/^not the same after saving/);
});

test("reports a manager of states that confuses users or writes outside the directory", () => {
  const place = join(directory, "states");
  mkdirSync(place);
  const mixing = { loadState: () => ({ user_id: "bob", trust_level: 1 }) } as unknown as StateManager;
  const state = Buffer.from('{"user_id":"alice","trust_level":1}');
  expect(judgeState(mixing, state, join(place, "alice.json"))).toEqual(["the state belongs to another user"]);
  rmSync(join(place, "alice.json"));
  class Careless extends StateManager {
    override saveState(user: string): void {
      writeFileSync(join(place, `${user}.json`), "trust_level");
    }
  }
  expect(judgeUserId(new Careless(place), "../outside", place)[0]).toMatch(/the saved state was not found/);
  expect(judgeUserId(new StateManager(place), "../outside", place)).toEqual([]);
});

test("reports an export that changes metadata", () => {
  const line =
    '{"id":1,"user_id":"a","level":1,"success":true,"response_time_ms":1,"timestamp":"t","metadata":{"n":1.5}}\n';
  const exporting = { exportMetrics: (path: string): number => (writeFileSync(path, line), 1) };
  const path = join(directory, "export.jsonl");
  expect(judgeExport(exporting, ['["a",{"n":1.50}]'], path)).toEqual([]);
  expect(judgeExport(exporting, ['["a",{"n":1.6}]'], path)[0]).toMatch(/^not exported as recorded/);
  expect(judgeExport(exporting, [], path)[0]).toMatch(/^0 interactions recorded, 1 exported/);
});

test("reports errors that have control characters, contain a secret, are endless or name no file", () => {
  const own = (): boolean => true;
  const faults = (message: string, more: object = {}): string[] =>
    faultsOfError(new Error(message, more), { own, secret: "hunter2", names: "a.json" });
  expect(faults("a.json: no")).toEqual([]);
  expect(faults("a.json: \u009b31m")[0]).toMatch(/U\+009b/);
  expect(faults("a.json: hunter2")[0]).toMatch(/^the secret appears/);
  expect(faults("a.json", { cause: Object.assign(new Error("no"), { input: "hunter2" }) })[0]).toMatch(/^the secret/);
  expect(faults("no")[0]).toMatch(/^the message does not name a.json/);
  expect(faults(`a.json${"x".repeat(3000)}`)[0]).toMatch(/^a message of 3006 characters/);
});

test("finds an added property of a prototype, and removes it", () => {
  const watch = new PollutionWatch();
  (Object.prototype as Record<string, unknown>)["polluted"] = true;
  expect(watch.faults()[0]).toMatch(/changed properties: polluted$/);
  expect(watch.faults()).toEqual([]);
  expect("polluted" in {}).toBe(false);
});

test("finds a replaced or removed property of a prototype, and restores it", () => {
  const [watch, { toString, valueOf }] = [new PollutionWatch(), Object.prototype];
  // oxlint-disable-next-line no-extend-native
  Object.prototype.toString = () => "mine";
  Reflect.deleteProperty(Object.prototype, "valueOf");
  expect(watch.faults()[0]).toMatch(/changed properties: (?:toString, valueOf|valueOf, toString)$/);
  expect(watch.faults()).toEqual([]);
  expect([Object.prototype.toString, Object.prototype.valueOf]).toEqual([toString, valueOf]);
});

test("finds a running time that grows with the square of the size", () => {
  const shape = (size: number): string => "x".repeat(size / 64);
  // 16 and 1024 ms of a processor, on any machine: some count in steps of 10 ms.
  const squared = (text: string): void => {
    const [before, milliseconds] = [process.cpuUsage(), (text.length / 256) ** 2];
    for (let spent = { user: 0, system: 0 }; (spent.user + spent.system) / 1000 < milliseconds;)
      spent = process.cpuUsage(before);
  };
  expect(judgeGrowth(shape, () => JSON.stringify(shape))).toEqual([]);
  expect(judgeGrowth(shape, squared)[0]).toMatch(/^8 times the size takes \d+ times as long/);
});

test("reports a hang and an exit with the document that caused it, and tries the other documents", async () => {
  const program = new URL("programs/breaking_worker.ts", import.meta.url);
  const longestMs = timeOfStarts(30);
  const job = { row: "row", seed: 1, from: 10, to: 15, place: join(directory, "worker") };
  const { wrong, tried, rss } = await contained(job, program, longestMs);
  expect(wrong).toEqual([
    { index: 11, text: expect.stringMatching(/^the process ended \(3\): no more/) },
    { index: 12, text: "refused wrongly" },
    { index: 13, text: `a hang: no end within ${longestMs / 1000} s` },
  ]);
  expect([tried, rss]).toEqual([5, 1234]);
});
