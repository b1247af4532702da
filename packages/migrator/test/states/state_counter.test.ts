import { expect, test } from "vitest";
import { StateCounter } from "../../src/archive/states/count_states.ts";

test("adds the counts of two processes, and lists a thousand states at most", () => {
  const [one, other] = [new StateCounter(), new StateCounter()];
  const broken = (counter: StateCounter, from: number, to: number): void => {
    for (let user = from; user < to; user += 1)
      counter.add(`u${user}.json` as never, { status: "broken", reason: "not valid JSON" });
  };
  broken(one, 0, 600);
  broken(other, 600, 1200);
  for (const counter of [one, other]) {
    counter.add("fine.json" as never, { status: "ok", reason: null });
    counter.add("odd.json" as never, { status: "ok", reason: "odd: it is" });
  }
  one.addAll(other.counts);
  const { ok, unusual, broken: total } = one.counts;
  expect([ok, unusual.count, unusual.states.length, total.count, total.states.length]).toEqual([4, 2, 2, 1200, 1000]);
  expect(total.states.map(({ file }) => file)).toEqual(Array.from({ length: 1000 }, (_, user) => `u${user}.json`));
});
