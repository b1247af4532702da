import { expect, test } from "vitest";
import { BoundedList } from "../../src/core/bounded_list.ts";

const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

test("keeps twenty texts, and counts the others", () => {
  const list = new BoundedList();
  for (const text of numbers(20)) list.add(text);
  expect(list.list()).toEqual(numbers(20));
  list.add("one too many");
  expect(list.list()).toEqual([...numbers(20), "and 1 more"]);
  expect([list.count, list.named]).toEqual([21, numbers(20)]);
});
