import fc from "fast-check";
import { expect, test } from "vitest";
import { changeOfColumns, changeOfOutcomes } from "../../src/metrics/rollup/trust_columns.ts";
import {
  compose,
  DEFAULT_FIGURES,
  NO_CHANGE,
  stepOf,
  trustAfter,
  trustByPeriod,
  type TrustChange,
  type TrustFigures,
} from "../../src/metrics/trends/trust.ts";

/** Long runs of one outcome reach the limits 0 and 1. */
const outcomes = fc
  .array(fc.record({ success: fc.boolean(), times: fc.integer({ min: 1, max: 25 }) }), { maxLength: 12 })
  .map((runs) => runs.flatMap(({ success, times }) => Array.from({ length: times }, () => success)));

const hundredths = fc.integer({ min: 0, max: 100 }).map((each) => each / 100);
const figures: fc.Arbitrary<TrustFigures> = fc.record({ initial: hundredths, gain: hundredths, loss: hundredths });

const changeOf = (steps: readonly boolean[], used: TrustFigures): TrustChange =>
  steps.map((step) => stepOf(step, used)).reduce(compose, NO_CHANGE);

/** Trust in hundredths, one interaction after the other. */
function oneByOne(steps: readonly boolean[], { initial, gain, loss }: TrustFigures): number {
  let trust = Math.round(initial * 100);
  for (const step of steps)
    trust = Math.min(100, Math.max(0, trust + (step ? Math.round(gain * 100) : -Math.round(loss * 100))));
  return trust / 100;
}

/** Results for all values of trust before the change. */
const effectOf = (change: TrustChange): number[] =>
  Array.from({ length: 101 }, (_, start) => trustAfter(change, { ...DEFAULT_FIGURES, initial: start / 100 }));

test("three numbers have the effect of all steps one after the other, exactly", () => {
  fc.assert(
    fc.property(outcomes, figures, (steps, used) => {
      expect(trustAfter(changeOf(steps, used), used)).toBe(oneByOne(steps, used));
    }),
  );
});

test("the effect does not depend on how the steps are divided", () => {
  fc.assert(
    fc.property(outcomes, outcomes, outcomes, (one, two, three) => {
      const [a, b, c] = [one, two, three].map((steps) => changeOf(steps, DEFAULT_FIGURES)) as [
        TrustChange,
        TrustChange,
        TrustChange,
      ];
      expect(effectOf(compose(compose(a, b), c))).toEqual(effectOf(compose(a, compose(b, c))));
      expect(effectOf(compose(a, NO_CHANGE))).toEqual(effectOf(a));
      expect(effectOf(compose(NO_CHANGE, a))).toEqual(effectOf(a));
    }),
  );
});

test("the stored columns and the text of outcomes have the same effect", () => {
  fc.assert(
    fc.property(outcomes, (steps) => {
      const text = steps.map((step) => (step ? "1" : "0")).join("");
      const change = changeOf(steps, DEFAULT_FIGURES);
      expect(changeOfOutcomes(text)).toEqual(change);
      const hundredth = 10_000_000;
      const [trust_add, trust_low, trust_high] = [change.add, change.low, change.high].map(
        (all) => all / hundredth,
      ) as [number, number, number];
      expect(changeOfColumns({ trust_add, trust_low, trust_high })).toEqual(change);
    }),
  );
});

test("each step is limited, not only the last value", () => {
  const steps = [...Array.from({ length: 30 }, () => true), false];
  expect(trustAfter(changeOf(steps, DEFAULT_FIGURES), DEFAULT_FIGURES)).toBe(0.9);
  expect(trustAfter(changeOf([true, true], DEFAULT_FIGURES), DEFAULT_FIGURES)).toBe(0.6);
});

test("trust at the end of a period includes this and earlier periods, in the order of the parts", () => {
  const part = fc.record({ period: fc.constantFrom("1", "2", "3", "4"), steps: outcomes });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
      const found = trustByPeriod(
        parts.map(({ period, steps }) => ({ period, change: changeOf(steps, DEFAULT_FIGURES) })),
        DEFAULT_FIGURES,
      );
      const expected = parts.map(({ period }): [string, number] => [
        period,
        oneByOne(
          parts.filter((other) => other.period <= period).flatMap(({ steps }) => steps),
          DEFAULT_FIGURES,
        ),
      ]);
      expect(found).toEqual(new Map(expected));
    }),
  );
});
