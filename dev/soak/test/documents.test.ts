import { expect, test } from "vitest";
import { documents } from "../src/documents.ts";
import { shortForm } from "../src/short_form.ts";

test("every reader refuses or understands hostile documents", async () => {
  const { complaints, trials } = await shortForm(documents, { share: 0.003 });
  expect(complaints).toEqual([]);
  expect(trials).toBeGreaterThan(400);
});
