import { readFileSync } from "node:fs";
import { DEFAULT_DURABILITY } from "@perdura/internals/sqlite/durability.js";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);

test.for([
  ["packages/internals/src/metrics/options.ts", /`(\w+)` \(the default\): a recorded row/],
  ["packages/v15/README.md", /`durability: "(\w+)"`, the default/],
  ["packages/v16/README.md", /`durability: "(\w+)"`, the default/],
  ["docs/faq.md", /the default `durability: "(\w+)"`/],
  ["docs/guides/operations.md", /`(\w+)`, the default/],
] as const)("%s names the default durability", ([path, statement]) => {
  expect(statement.exec(readFileSync(new URL(path, root), "utf8"))?.[1]).toBe(DEFAULT_DURABILITY);
});
