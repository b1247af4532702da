import { expect, test } from "vitest";
import { documents } from "../src/documents.ts";
import { sample } from "../src/sample.ts";

test("every reader refuses or understands hostile documents", async () => {
  const { complaints, trials } = await sample(documents, { share: 0.003 });
  expect(complaints).toEqual([]);
  expect(trials).toBeGreaterThan(400);
});
