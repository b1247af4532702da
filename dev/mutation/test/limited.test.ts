import { type MutantRunResult, MutantRunStatus, type TestRunner } from "@stryker-mutator/api/test-runner";
import { expect, it } from "vitest";
import { runLimited } from "../src/whole/limited.ts";

const KILLED = {
  status: MutantRunStatus.Killed as const,
  killedBy: ["a test"],
  failureMessage: "",
  nrOfTests: 1,
} satisfies MutantRunResult;

/** A runner with one answer, and what is asked of it. */
function runnerOf(answer: () => Promise<MutantRunResult>): { runner: TestRunner; asked: string[] } {
  const asked: string[] = [];
  const told = (name: string): Promise<void> => Promise.resolve(void asked.push(name));
  const runner = {
    capabilities: () => ({ reloadEnvironment: true }),
    init: () => told("init"),
    dryRun: () => Promise.reject(new Error("not asked")),
    mutantRun: () => answer(),
    dispose: () => told("dispose"),
  };
  return { runner, asked };
}

it("gives the result of tests that end, and what their runner fails with", async () => {
  const { runner, asked } = runnerOf(() => Promise.resolve(KILLED));
  expect(await runLimited(runner, {} as never, 60_000)).toBe(KILLED);
  const broken = runnerOf(() => Promise.reject(new Error("no worker")));
  await expect(runLimited(broken.runner, {} as never, 60_000)).rejects.toThrow("no worker");
  expect([asked, broken.asked]).toEqual([[], []]);
});

it("begins a runner anew whose tests do not end, which finds the mutant", async () => {
  const { runner, asked } = runnerOf(() => new Promise(() => undefined));
  expect(await runLimited(runner, {} as never, 5)).toEqual({
    status: MutantRunStatus.Timeout,
    reason: "no end within 5 ms",
  });
  expect(asked).toEqual(["dispose", "init"]);
});
