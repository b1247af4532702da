import { beforeAll, expect, test } from "vitest";
import { examplesOfPage, examplesOfSources, outcomeOf, runExamples } from "../../../test/repository/run_example.ts";

const examples = [...examplesOfSources("packages/otel/src"), ...examplesOfPage("packages/otel/README.md")].map(
  (example, index) => ({ ...example, index }),
);
let outcomes: Awaited<ReturnType<typeof runExamples>> = [];

beforeAll(async () => {
  outcomes = await runExamples(examples.map(({ code }) => ({ code, line: "otel" })));
});

test.for(examples)("$place", ({ index }) => {
  const { printed, promised } = outcomeOf(outcomes[index]);
  expect(printed).toEqual(promised);
});
