import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { type MutantResult, PlanKind } from "@stryker-mutator/api/core";
import type { MutationTestingPlanReadyEvent } from "@stryker-mutator/api/report";
import { expect, it, onTestFinished, vi } from "vitest";
import { readFolder } from "../src/results/results_folder.ts";
import { RecordingReporter } from "../src/run/reporter.ts";
import { environmentOf } from "../src/run/run_settings.ts";
import { isInSample } from "../src/run/sample.ts";

const FILE = "packages/v16/src/lines.ts";
const LINES = 200;

/** A reporter over a source of which each line has one mutant, and where its results go. */
function reporterOf(every: number): { root: string; reporter: RecordingReporter } {
  const root = mkdtempSync(join(tmpdir(), "perdura-test-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  onTestFinished(() => void vi.unstubAllEnvs());
  mkdirSync(dirname(join(root, FILE)), { recursive: true });
  writeFileSync(join(root, FILE), "a\n".repeat(LINES));
  const settings = { suite: "whole", files: [FILE], repository: root, originals: root, coverage: "", durations: "" };
  const variables = environmentOf({ ...settings, suite: "whole", every, left: false, seconds: 1, tests: [] });
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  return { root, reporter: new RecordingReporter() };
}

/** Where Stryker says that the mutant of a line is: from 0 in its plan, from 1 in its results. */
const place = (line: number, from: 0 | 1): MutantResult["location"] => ({
  start: { line: line + from, column: from },
  end: { line: line + from, column: from + 1 },
});

function planned(): MutationTestingPlanReadyEvent {
  const mutantPlans = Array.from({ length: LINES }, (_, line) => ({
    plan: PlanKind.Run,
    mutant: { id: `${line}`, fileName: FILE, location: place(line, 0), replacement: "b", static: false },
  }));
  return { mutantPlans } as unknown as MutationTestingPlanReadyEvent;
}

function tested(line: number): MutantResult {
  const status = line % 2 === 0 ? "Killed" : "Survived";
  return { id: `${line}`, fileName: FILE, location: place(line, 1), replacement: "b", status } as MutantResult;
}

it.each([1, 10])("records a file once its last mutant is tried: one of %i", (every) => {
  const { root, reporter } = reporterOf(every);
  const chosen = Array.from({ length: LINES }, (_, line) => tested(line)).filter(({ location }) =>
    isInSample(every, FILE, { status: "", location, replacement: "b" }),
  );
  const recorded = () => readFolder(root, posix.dirname(FILE))["lines.ts"]?.whole;
  reporter.onMutationTestingPlanReady(planned());
  expect(recorded()).toBeUndefined();
  for (let line = 0; line < LINES; line += 1) reporter.onMutantTested(tested(line));
  const killed = chosen.filter(({ status }) => status === "Killed").length;
  expect(killed).toBeGreaterThan(0);
  expect(recorded()).toMatchObject({ killed, survived: chosen.length - killed });
  expect(recorded()?.one_of).toBe(every === 1 ? undefined : every);
});
