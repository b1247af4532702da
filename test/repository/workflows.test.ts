import { readdirSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";

// The parser imports JSON without the attribute that Node.js needs.
const hooks = registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith(".json") ? { ...context, importAttributes: { type: "json" } } : context),
});
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import("@actions/workflow-parser");
hooks.deregister();

interface Workflow {
  permissions: Record<string, string>;
  jobs: Record<string, { steps: { run?: string; uses?: string }[]; strategy?: { matrix: Record<string, unknown> } }>;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, ".github", "workflows");
const workflows = readdirSync(folder).map(
  (name) => [name, parse(readFileSync(join(folder, name), "utf8")) as Workflow] as const,
);
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };

/** Commands that a runner may use in addition to the repository's own. */
const EVERYWHERE = new Set([
  "npm test",
  "git push origin --tags",
  "sudo apt-get install --yes strace",
  "sudo apt-get install --yes pgbouncer",
  "sudo apt-get install --yes wine wine64",
]);

test.for(workflows)("%s runs only scripts of package.json and common commands", ([, { permissions, jobs }]) => {
  // Permissions that are not listed here are denied; without this line all are granted.
  expect(permissions).toMatchObject({ contents: expect.stringMatching(/^(?:read|write)$/) as string });
  for (const { run } of Object.values(jobs).flatMap(({ steps }) => steps)) {
    if (run === undefined || EVERYWHERE.has(run)) continue;
    const [, task] =
      /^(?:sudo env "PATH=\$PATH" )?node dev\/tools\/run\.mjs ([\w:]+)(?: --[\w-]+(?:=\w+)?)*$/.exec(run) ?? [];
    expect(Object.keys(scripts), run).toContain(task);
  }
});

test.for(workflows)("%s is accepted by GitHub's own parser", async ([name]) => {
  const content = readFileSync(join(folder, name), "utf8");
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  const template = value === undefined ? undefined : await convertWorkflowTemplate(context, value);
  expect(context.errors.getErrors()).toEqual([]);
  expect(template?.jobs.length).toBeGreaterThan(0);
});

test.for([...workflows.map(([name]) => `.github/workflows/${name}`), "oracle/action.yml"])(
  "%s uses actions by their commits",
  (path) => {
    const used = [...readFileSync(join(root, path), "utf8").matchAll(/^ *(?:- )?uses: *(.*)$/gm)];
    expect(used.length).toBeGreaterThan(0);
    // A tag can be moved to other code; the comment tells people which version it is.
    for (const [, action] of used) expect(action).toMatch(/^[\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  },
);

test("the tests run on three operating systems and every Node.js that SUPPORT.md lists", () => {
  const { strategy } = Object.fromEntries(workflows)["test.yml"]?.jobs["test"] ?? {};
  const table = readFileSync(join(root, "SUPPORT.md"), "utf8").split("## Node.js")[1] ?? "";
  const listed = [...table.matchAll(/^\| (\d+) +\|/gm)].map(([, major]) => Number(major));
  expect(listed.length).toBeGreaterThan(1);
  expect(strategy?.matrix).toEqual({ os: ["ubuntu-latest", "macos-latest", "windows-latest"], node: listed });
});
