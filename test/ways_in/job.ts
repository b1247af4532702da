import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { runAction } from "./action_steps.ts";
import type { ActionRun } from "./action_steps.ts";

/** A job with a workspace of its own, in which nothing is checked out yet. */
export interface Job {
  workspace: string;
  /** A folder in the workspace. */
  folder(name: string): string;
  /** Runs the action with the packed suite; `path` is where programs are looked for, if not where ours are. */
  judge(inputs: Record<string, string>, path?: string): ActionRun;
}

/** The job of a test file; its workspace is removed after the tests. */
export function job(): Job {
  const workspace = mkdtempSync(join(tmpdir(), "perdura-job-"));
  afterAll(() => rmSync(workspace, { recursive: true, force: true }));
  const temp = process.env["WAYS_IN_RUNNER_TEMP"] as string;
  const version = process.env["WAYS_IN_SUITE"] as string;
  return {
    workspace,
    folder: (name) => mkdirSync(join(workspace, name), { recursive: true }) ?? join(workspace, name),
    judge: (inputs, path) =>
      runAction({ version, ...inputs }, { workspace, temp, ...(path === undefined ? {} : { path }) }),
  };
}
