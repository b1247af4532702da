import { expect, test } from "vitest";
import { BoundedList } from "../../src/core/bounded_list.ts";

const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

test("keeps twenty texts, and counts the others", () => {
  const few = new BoundedList();
  for (const text of numbers(20)) few.add(text);
  expect(few.list()).toEqual(numbers(20));
  few.add("one too many");
  expect(few.list()).toEqual([...numbers(20), "and 1 more"]);
  expect([few.count, few.named]).toEqual([21, numbers(20)]);
});

test("adds the texts of another list up to the limit, and counts the others", () => {
  const few = new BoundedList();
  few.add("x");
  few.addAll(numbers(2), 3);
  expect(few.list()).toEqual(["x", "0", "1", "and 3 more"]);
  expect(few.count).toBe(6);
});
