import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { OUR_NODE_FIRST } from "./our_node.ts";
import { temporaryFolder } from "../temporary_folder.ts";

/** The folder of the action. */
export const ORACLE: string = fileURLToPath(new URL("../../oracle/", import.meta.url));

export interface Step {
  id?: string;
  if?: string;
  uses?: string;
  shell?: string;
  env?: Record<string, string>;
  run?: string;
}

export interface Action {
  inputs: Record<string, { description: string; required?: boolean; default?: string }>;
  outputs: Record<string, { description: string; value: string }>;
  runs: { using: string; steps: Step[] };
}

/** The action as defined in its file. */
export const ACTION: Action = parse(readFileSync(join(ORACLE, "action.yml"), "utf8")) as Action;

/** Result of a step that ran the action, as its job sees it. */
export interface ActionRun {
  status: number | null;
  log: string;
  outputs: Record<string, string>;
  summary: string;
}

/** Directories and PATH of a job. */
export interface Machine {
  /** The checked-out files. */
  workspace: string;
  /** Folder for temporary files of the job, shared by all its steps. */
  temp: string;
  /** Search path of programs; our own PATH by default. */
  path?: string;
}

/** Runs the steps of the action like a runner: values of expressions in the environment, the script in a file. */
export function runAction(inputs: Record<string, string>, { workspace, temp, path }: Machine): ActionRun {
  const files = temporaryFolder(temp);
  const [output, summary] = [join(files, "output"), join(files, "summary")];
  for (const file of [output, summary]) writeFileSync(file, "");
  let log = "";
  let status: number | null = 0;
  const outputs: Record<string, Record<string, string>> = {};
  for (const step of ACTION.runs.steps.filter((each) => holds(each.if, inputs))) {
    if (step.run === undefined || step.shell !== "bash")
      throw new Error(`expected a step with a bash script, got ${JSON.stringify(step)}`);
    const script = join(files, "script.sh");
    writeFileSync(script, step.run);
    const env = Object.entries(step.env ?? {}).map(([name, text]) => [name, value(text, inputs)]);
    // By its path, so that a PATH without bash is possible.
    const ran = spawnSync("/bin/bash", ["--noprofile", "--norc", "-e", "-o", "pipefail", script], {
      cwd: workspace,
      encoding: "utf8",
      maxBuffer: 2 ** 26,
      env: {
        ...ownEnvironment(),
        PATH: path ?? OUR_NODE_FIRST,
        ...(Object.fromEntries(env) as Record<string, string>),
        GITHUB_ACTIONS: "true",
        GITHUB_ACTION_PATH: ORACLE.replace(/\/$/, ""),
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: summary,
        RUNNER_TEMP: temp,
      },
    });
    log += ran.stdout + ran.stderr;
    status = ran.status;
    if (step.id !== undefined) outputs[step.id] = parseOutputs(readFileSync(output, "utf8"));
    if (status !== 0) break;
  }
  const shown = Object.entries(ACTION.outputs).map(([name, { value: text }]) => [name, outputOf(text, outputs)]);
  return {
    status,
    log,
    outputs: Object.fromEntries(shown) as Record<string, string>,
    summary: readFileSync(summary, "utf8"),
  };
}

/** Our environment without the variables that a package manager sets for these tests. */
function ownEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:npm_|pnpm_|GITHUB_)/i.test(name)));
}

function holds(condition: string | undefined, inputs: Record<string, string>): boolean {
  if (condition === undefined) return true;
  const [, name] = /^inputs\.([\w-]+) != ''$/.exec(condition) ?? [];
  if (name === undefined) throw new Error(`unsupported condition: ${condition}`);
  return input(name, inputs) !== "";
}

function value(text: string, inputs: Record<string, string>): string {
  const [, name] = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(text) ?? [];
  if (name === undefined) throw new Error(`unsupported expression: ${text}`);
  return input(name, inputs);
}

function input(name: string, inputs: Record<string, string>): string {
  const declared = ACTION.inputs[name];
  if (declared === undefined) throw new Error(`the action has no input ${name}`);
  return inputs[name] ?? declared.default ?? "";
}

function outputOf(text: string, outputs: Record<string, Record<string, string>>): string {
  const [, step, name] = /^\$\{\{ steps\.([\w-]+)\.outputs\.([\w-]+) \}\}$/.exec(text) ?? [];
  if (step === undefined || name === undefined) throw new Error(`unsupported output: ${text}`);
  return outputs[step]?.[name] ?? "";
}

/** Parses the file of outputs, in which the action writes every value between two lines with a delimiter. */
function parseOutputs(text: string): Record<string, string> {
  const found = [...text.matchAll(/^([\w-]+)<<(.+)\n([^]*?)\n\2\n/gm)].map(([, name, , content]) => [name, content]);
  return Object.fromEntries(found) as Record<string, string>;
}
