import { expect, test } from "vitest";
import { outcomeOf, runExamples } from "./run_example.ts";

const run = (...codes: string[]): ReturnType<typeof runExamples> =>
  runExamples(codes.map((code) => ({ code, line: "v16" })));

test("reports an example that fails, and runs each example in its own directory", async () => {
  const look = 'console.log(readdirSync(".").length); // 0';
  const outcomes = await run(
    `import { readdirSync, writeFileSync } from "node:fs"; writeFileSync("left", "");\nconsole.log("a"); // a`,
    `throw new Error("no such luck");`,
    `process.exitCode = 3;`,
    `console.log(1); // 2`,
    `import { readdirSync } from "node:fs";\n${look}`,
  );
  expect(outcomes[0]).toEqual({ printed: ["a"], promised: ["a"] });
  expect(() => outcomeOf(outcomes[1])).toThrow("no such luck");
  expect(() => outcomeOf(outcomes[2])).toThrow("it exited with status 3");
  expect(outcomes[3]).toEqual({ printed: ["1"], promised: ["2"] });
  expect(outcomes[4]).toEqual({ printed: ["0"], promised: ["0"] });
});

test("an example that exits the process makes all examples fail", async () => {
  const outcomes = await run(`console.log("a"); // a`, `process.exit(0);`, `console.log("never"); // never`);
  for (const outcome of outcomes.slice(1)) expect(() => outcomeOf(outcome)).toThrow("it exited with status 0");
  const others = await run(`console.log("a"); // a`, `process.exit(4);`);
  for (const outcome of others) expect(() => outcomeOf(outcome)).toThrow("it exited with status 4");
});
