import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ADDRESSES, BEGINNINGS, ON_ALL_KINDS } from "../../src/stores/kinds.ts";

test("all kinds of stores are enumerated", () => {
  expect(ON_ALL_KINDS).toMatch(/^on S3, [^,].*, or in a directory$/);
  expect(ADDRESSES).toMatch(/^s3:\/\/BUCKET\/PREFIX, .* or file:\/\/\/DIRECTORY$/);
  expect(BEGINNINGS).toMatch(/^s3:\/\/, .* or file:\/\/\/$/);
});

test.each(["README.md", "src/open_backup_store.ts"])("%s has an address of each kind", (page) => {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
  for (const beginning of BEGINNINGS.split(/, | or /)) expect(text).toContain(`\`${beginning}`);
});
