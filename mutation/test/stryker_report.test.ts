import { expect, test } from "vitest";
import { countsOf } from "../src/result.ts";
import { resultFrom, type StrykerReport } from "../src/stryker_report.ts";

const source = "const a = 1;\nif (a > 0) {\n  b();\n}\n";
const at = (line: number, column: number, endLine: number, endColumn: number) => ({
  start: { line, column },
  end: { line: endLine, column: endColumn },
});
const report = (...mutants: StrykerReport["files"][string]["mutants"]): StrykerReport => ({
  files: { "src/a.ts": { source, mutants } },
});

test("a report becomes counts, and every mutant that nothing noticed with what it was", () => {
  const result = resultFrom(
    report(
      { mutatorName: "BlockStatement", replacement: "{}", status: "NoCoverage", location: at(2, 12, 4, 2) },
      { mutatorName: "EqualityOperator", replacement: "a >= 0", status: "Survived", location: at(2, 5, 2, 10) },
      { mutatorName: "ConditionalExpression", replacement: "false", status: "Killed", location: at(2, 5, 2, 10) },
      { mutatorName: "ConditionalExpression", replacement: "true", status: "Timeout", location: at(2, 5, 2, 10) },
      { mutatorName: "StringLiteral", replacement: '""', status: "RuntimeError", location: at(1, 11, 1, 12) },
    ),
    () => "0123",
  );
  expect(result).toEqual({
    "src/a.ts": {
      sha256: "0123",
      killed: 1,
      timeout: 1,
      unloadable: 1,
      survivors: [
        { line: 2, column: 5, mutator: "EqualityOperator", was: "a > 0", became: "a >= 0", status: "survived" },
        { line: 2, column: 12, mutator: "BlockStatement", was: "{ b(); }", became: "{}", status: "uncovered" },
      ],
    },
  });
  expect(countsOf([result])).toEqual({ noticed: 2, all: 4 });
});

test("a mutant that was not judged is not left out in silence", () => {
  const pending = { mutatorName: "x", status: "Pending", location: at(1, 1, 1, 2) } as const;
  expect(() => resultFrom(report(pending), () => "")).toThrow("a mutant in line 1 was not judged");
});
