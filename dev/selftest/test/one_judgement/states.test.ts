import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../packages/conformance/src/values/json_value.ts";
import { WRITTEN, casesAbout, judgeBothWays, type Judgements } from "./both_ways.ts";

interface StateChange {
  name: string;
  apply: (text: string) => string;
}

const edits = (name: string, change: (state: JsonObject) => void, indent = 0): StateChange => ({
  name,
  apply(text) {
    const state = JSON.parse(text) as JsonObject;
    change(state);
    return JSON.stringify(state, null, indent);
  },
});
const set = (field: string, value: JsonObject[string]): StateChange =>
  edits(`${field} is ${JSON.stringify(value)}`, (state) => (state[field] = value));

const SPELLINGS: readonly StateChange[] = [
  edits("indented", () => undefined, 4),
  { name: "with CRLF", apply: (text) => text.replaceAll(/\r?\n/g, "\r\n") },
  edits("timestamps with a blank", (state) => {
    state.last_interaction = String(state.last_interaction).replace("T", " ");
  }),
];

const BREACHES: readonly StateChange[] = [
  { name: "byte order mark", apply: (text) => `\uFEFF${text}` },
  { name: "cut short", apply: (text) => text.trimEnd().slice(0, -1) },
  { name: "a key twice", apply: (text) => text.replace("{", '{"trust_level": 0.5,') },
  { name: "an array", apply: (text) => `[${text}]` },
  ...["user_id", "trust_level"].map((field) => edits(`without ${field}`, (state) => delete state[field])),
  ...[null, 5].map((value) => set("user_id", value)),
  ...[null, "0.5", 1.5, -1].map((value) => set("trust_level", value)),
  ...["current_level", "target_level", "interaction_count", "success_count", "failure_count"].flatMap((field) =>
    [null, "1", 1.5].map((value) => set(field, value)),
  ),
  ...["last_interaction", "created_at"].flatMap((field) => [set(field, "yesterday"), set(field, 5)]),
];

describe("line 15: run and check-file agree on a state", () => {
  const cases = casesAbout(WRITTEN.state, "15");
  const judge = (change?: StateChange): Promise<Judgements> =>
    judgeBothWays(WRITTEN.state, "15", cases, (path) => {
      if (change) writeFileSync(path, change.apply(readFileSync(path, "utf8")));
      return true;
    });

  it("as it was saved", async () => {
    expect(cases.length).toBeGreaterThanOrEqual(3);
    expect(await judge()).toMatchObject({ run: [], checkFile: [] });
  });

  it.each(SPELLINGS)("in another spelling: $name", async (change) => {
    expect(await judge(change)).toMatchObject({ run: [], checkFile: [] });
  });

  it.each(BREACHES)("in another form: $name", async (change) => {
    const { run, checkFile } = await judge(change);
    expect(run).not.toEqual([]);
    expect(checkFile).not.toEqual([]);
  });
});
