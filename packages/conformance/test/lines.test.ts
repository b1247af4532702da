import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { violations } from "../src/corpus/schemas.ts";
import { implementationAdapter } from "../src/implementations.ts";
import { commandAdapter } from "../src/protocol/stdio.ts";
import { runSuite } from "../src/runner/run_suite.ts";

const stdio = (name: string) => {
  const words = [
    process.execPath,
    "--conditions=@perdura/source",
    fileURLToPath(new URL("../adapters/stdio.ts", import.meta.url)),
    name,
  ];
  return commandAdapter(words.map((word) => JSON.stringify(word)).join(" "));
};

describe.each([
  ["perdura-15", "15"],
  ["perdura-16", "16"],
] as const)("%s", (name, line) => {
  it("conforms, and both transports give equal verdicts", async () => {
    const inProcess = await runSuite({ adapter: implementationAdapter(name), line });
    expect(inProcess.cases.filter((record) => !["pass", "inapplicable"].includes(record.verdict))).toEqual([]);
    expect(inProcess.summary).toMatchObject({ conformant: true, exit_code: 0 });
    expect(inProcess.records.flatMap((record) => violations("report", record))).toEqual([]);

    const overStdio = await runSuite({ adapter: stdio(name), line });
    const verdicts = (result: typeof inProcess) =>
      result.cases.map(({ id, verdict, failures }) => ({ id, verdict, failures }));
    expect(verdicts(overStdio)).toEqual(verdicts(inProcess));
  });
});

it("a case of each line is inapplicable in the other", async () => {
  const [fifteen, sixteen] = await Promise.all([
    runSuite({
      adapter: implementationAdapter("perdura-15"),
      cases: ["versioning/facade", "versioning/facade-removed"],
    }),
    runSuite({
      adapter: implementationAdapter("perdura-16"),
      cases: ["versioning/facade", "versioning/facade-removed"],
    }),
  ]);
  expect(fifteen.summary.counts).toMatchObject({ pass: 1, inapplicable: 1 });
  expect(sixteen.summary.counts).toMatchObject({ pass: 1, inapplicable: 1 });
});
