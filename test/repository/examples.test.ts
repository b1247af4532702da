import { describe, expect, test } from "vitest";
import { examplesOfPage, examplesOfSources, runExample } from "./run_example.ts";

/** Every example that a reader may paste runs, and prints what its comments promise. */
describe("examples", () => {
  const groups = [
    {
      line: "v16",
      examples: [
        ...examplesOfSources("packages/internals/src"),
        ...examplesOfSources("packages/v16/src"),
        ...examplesOfPage("packages/v16/README.md"),
      ],
    },
    { line: "v15", examples: [...examplesOfSources("packages/v15/src"), ...examplesOfPage("packages/v15/README.md")] },
    { line: "v16", examples: examplesOfSources("packages/conformance/src") },
    { line: "v16", examples: [...examplesOfPage("README.md"), ...examplesOfPage("UPGRADING.md")] },
  ] as const;
  for (const { line, examples } of groups) {
    test.for(examples)(`$place (${line})`, ({ code }) => {
      const { printed, promised } = runExample(code, line);
      expect(printed).toEqual(promised);
    });
  }
});
