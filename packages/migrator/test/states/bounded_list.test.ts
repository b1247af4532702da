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

test("adds the texts of another list up to the limit, and counts the others", () => {
  const list = new BoundedList();
  list.add("x");
  list.addAll(numbers(2), 3);
  expect(list.list()).toEqual(["x", "0", "1", "and 3 more"]);
  expect(list.count).toBe(6);
});
