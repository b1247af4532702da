import fc from "fast-check";
import { expect, test } from "vitest";
import { Chance } from "./chance.ts";

const numbersOf = (chance: Chance): number[] => Array.from({ length: chance.below(50) }, () => chance.below(1000));

test("choices are equal for equal parts, and differ for different parts", () => {
  const numbers = (...parts: (string | number)[]): number[] => {
    const chance = Chance.of(...parts);
    return Array.from({ length: 5 }, () => chance.below(1000));
  };
  expect(numbers(1, "row")).toEqual(numbers(1, "row"));
  expect(numbers(1, "row")).not.toEqual(numbers(2, "row"));
  expect(numbers(1, "row")).not.toEqual(numbers(1, "other"));
});

test("a correct input is tried once", async () => {
  let tries = 0;
  expect(await Chance.try([1], () => ((tries += 1), []))).toEqual([]);
  expect(tries).toBe(1);
});

test("a failing input is shrunk, always to the same one", async () => {
  const smallest = (seed: number): Promise<string[]> =>
    Chance.try([seed, "shrunk"], (chance) => {
      const numbers = numbersOf(chance);
      return numbers.some((number) => number >= 100) ? [`too large: ${numbers.join()}`] : [];
    });
  for (const seed of [1, 2, 3]) {
    const [found = ""] = await smallest(seed);
    expect(found).toMatch(/^too large: (?:0,)*100$/);
    expect(await smallest(seed)).toEqual([found]);
  }
});

test("shrinking ends after 300 tries", async () => {
  let tries = 0;
  const wrong = await Chance.try([1], (chance) => {
    tries += 1;
    const numbers = Array.from({ length: 100 }, () => chance.below(1_000_000));
    return numbers.every((number) => number >= 3) ? ["at least 3"] : [];
  });
  expect(wrong).toEqual(["at least 3"]);
  expect(tries).toBe(300);
});

test("a recursive arbitrary can be generated and shrunk", async () => {
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof({ maxDepth: 3 }, fc.nat(), fc.record({ left: tie("tree"), right: tie("tree") })),
  }));
  const found = await Chance.try([4], (chance) => {
    const [one, other] = [chance.made(tree), chance.made(tree)];
    return [JSON.stringify([one, other])];
  });
  expect(found).toEqual(["[0,0]"]);
});

test("rethrows what a trial throws", async () => {
  await expect(Chance.try([1], () => Promise.reject(new Error("no directory")))).rejects.toThrow("no directory");
});
