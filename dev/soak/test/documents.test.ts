import { expect, test } from "vitest";
import { documents } from "../src/documents.ts";
import { shortForm } from "../src/short_form.ts";

test("hostile documents are refused or understood by every reader", async () => {
  const { complaints, trials } = await shortForm(documents, { share: 0.003 });
  expect(complaints).toEqual([]);
  expect(trials).toBeGreaterThan(400);
});
