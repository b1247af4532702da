import { beforeAll, expect, test } from "vitest";
import { examplesOfPage, examplesOfSources, outcomeOf, runExamples } from "../../../test/repository/run_example.ts";

const examples = [...examplesOfSources("packages/mcp/src"), ...examplesOfPage("packages/mcp/README.md")].map(
  (example, index) => ({ ...example, index }),
);
let outcomes: Awaited<ReturnType<typeof runExamples>> = [];

beforeAll(async () => {
  outcomes = await runExamples(examples.map(({ code }) => ({ code, line: "mcp" })));
});

test.for(examples)("$place", ({ index }) => {
  const { printed, promised } = outcomeOf(outcomes[index]);
  expect(printed).toEqual(promised);
});
