import { expect, test } from "vitest";
import { StateCounter } from "../../src/archive/states/count_states.ts";

test("counts all states, and lists a thousand of each kind at most", () => {
  const counter = new StateCounter();
  for (let user = 0; user < 1200; user += 1)
    counter.add(`u${user}.json` as never, { status: "broken", reason: "not valid JSON" });
  counter.add("fine.json" as never, { status: "ok", reason: null });
  counter.add("unusual.json" as never, { status: "ok", reason: "trust_level is a text" });
  const { ok, unusual, broken } = counter.counts;
  expect([ok, unusual.count, unusual.states.length, broken.count, broken.states.length]).toEqual([2, 1, 1, 1200, 1000]);
  expect(broken.states.map(({ file }) => file)).toEqual(Array.from({ length: 1000 }, (_, user) => `u${user}.json`));
});
