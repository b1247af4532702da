import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { runAction } from "./action_steps.ts";
import type { ActionRun } from "./action_steps.ts";
import { freshFolder } from "../fresh_folder.ts";

/** A job with a new workspace, without a checkout. */
export interface Job {
  workspace: string;
  /** A folder in the workspace. */
  folder(name: string): string;
  /** Runs the action with the packed suite; `path` is the search path of programs, by default ours. */
  judge(inputs: Record<string, string>, path?: string): ActionRun;
}

/** The job of a test file; its workspace is removed after the tests. */
export function job(): Job {
  const workspace = freshFolder();
  const temp = process.env["WAYS_IN_RUNNER_TEMP"] as string;
  const version = process.env["WAYS_IN_SUITE"] as string;
  return {
    workspace,
    folder: (name) => mkdirSync(join(workspace, name), { recursive: true }) ?? join(workspace, name),
    judge: (inputs, path) =>
      runAction({ version, ...inputs }, { workspace, temp, ...(path === undefined ? {} : { path }) }),
  };
}
