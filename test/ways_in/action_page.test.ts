import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { ACTION, ORACLE } from "./action_steps.ts";
import type { Step } from "./action_steps.ts";

const PAGE = readFileSync(join(ORACLE, "README.md"), "utf8");

test("no script of the action contains an expression, which could inject commands", () => {
  for (const { run } of ACTION.runs.steps) expect(run ?? "").not.toContain("${{");
});

test("other actions are pinned to a commit", () => {
  const used = ACTION.runs.steps.flatMap(({ uses }) => uses ?? []);
  expect(used).toHaveLength(1);
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
});

test("every input is passed to the script under its own name", () => {
  const judge = ACTION.runs.steps.find(({ id }) => id === "judge");
  const expected = Object.keys(ACTION.inputs)
    .filter((name) => name !== "node-version")
    .map((name) => [`ORACLE_${name.toUpperCase().replaceAll("-", "_")}`, `\${{ inputs.${name} }}`]);
  expect(judge?.env).toEqual(Object.fromEntries(expected));
});

test("the default version of the suite has the major version of this repository", () => {
  const manifest = readFileSync(join(ORACLE, "../packages/conformance/package.json"), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  expect(ACTION.inputs["version"]?.default).toBe(`${version.split(".")[0]}.x`);
});

test("the page lists exactly the inputs and outputs", () => {
  const rows = [...PAGE.matchAll(/^\| ((?:`[\w-]+`(?:, )?)+) +\|/gm)].map(([, names]) =>
    [...(names as string).matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
  );
  expect(rows.flat()).toEqual([...Object.keys(ACTION.inputs), ...Object.keys(ACTION.outputs)]);
});

test("the workflow on the page uses only existing inputs", () => {
  const [, workflow] = /^```yaml\n(.*?)^```$/ms.exec(PAGE) ?? [];
  const { jobs } = parse(workflow as string) as { jobs: { judge: { steps: (Step & { with?: object })[] } } };
  const step = jobs.judge.steps.find(({ id }) => id === "oracle");
  expect(step?.uses).toBe("OWNER/perdura/oracle@COMMIT");
  for (const name of Object.keys(step?.with ?? {})) expect(Object.keys(ACTION.inputs)).toContain(name);
});
