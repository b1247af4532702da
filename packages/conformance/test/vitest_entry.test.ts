import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { packageRoot } from "../src/package_root.ts";
import { runVitestProject, type TestOutcome } from "./vitest_project.ts";

// Inside the package, so that the project of an implementer resolves vitest and the suite as it would once installed.
const folder = mkdtempSync(join(packageRoot(), "test", "vitest-project-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs vitest on a project of an implementer with one test file. */
function runProject(options: string): { code: number | null; tests: TestOutcome[] } {
  const adapter = JSON.stringify(`"${process.execPath}" selftest/faulty_adapter.mjs`);
  return runVitestProject(folder, {
    "conformance.test.ts": `import { commandAdapter, implementationAdapter } from "@perdura/conformance";
import { conformance } from "@perdura/conformance/vitest";

const adapter = ${adapter};
conformance(${options});
`,
  });
}

it("makes every case a test, and skips with a reason what does not apply", () => {
  const { code, tests } = runProject(`{ adapter: implementationAdapter("perdura-16"), areas: ["versioning"] }`);
  expect(code).toBe(0);
  const statusOf = (id: string) => tests.find(({ title }) => title.startsWith(`${id}: `))?.status;
  expect(statusOf("versioning/facade-removed")).toBe("passed");
  expect(statusOf("versioning/facade")).toBe("skipped");
  expect(statusOf("patterns-json/file-layout")).toBeUndefined();
});

it("fails with the requirement, what was wanted and what came", () => {
  const { code, tests } = runProject(
    `{ adapter: commandAdapter(adapter), cases: ["patterns-json/load-not-a-library", "patterns-json/all-keys-written", "metrics/columns", "patterns-json/pattern-count"] }`,
  );
  expect(code).toBe(1);
  const failed = tests.filter(({ status }) => status === "failed");
  expect(failed.map(({ title }) => title.split(":")[0])).toContain("metrics/columns");
  expect(failed.flatMap(({ failureMessages }) => failureMessages).join()).toMatch(
    /requirement: R-2\.5\/columns, section 2\.5, must: /,
  );
});

it("an empty selection fails", () => {
  const { code, tests } = runProject(`{ adapter: commandAdapter(adapter), cases: ["state/delete"] }`);
  expect(code).toBe(1);
  expect(tests.find(({ status }) => status === "failed")?.failureMessages.join()).toContain("no judgement");
});
