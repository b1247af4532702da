import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generatedFiles } from "../../dev/tools/generated_files.ts";

test.for([...generatedFiles()])("%s is up to date: pnpm generate", ([file, text]) => {
  expect(readFileSync(file, "utf8")).toBe(text);
});
