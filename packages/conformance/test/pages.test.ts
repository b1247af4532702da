import { spawnSync } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import { type Example, examplesOfPage, runExample } from "../../../test/repository/run_example.ts";
import { commandAdapter } from "../src/index.ts";
import { packageRoot } from "../src/package_root.ts";
import { runWithLongTimeout } from "./long_timeout_suite.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { needs } from "../../../test/needs.ts";

const folder = freshFolder();

const python = spawnSync("python3", ["--version"]).status === 0;

/** The only example of a page in a language. */
function onlyExample(path: string, language: "ts" | "js" | "python" = "ts"): Example {
  const examples = examplesOfPage(path, language);
  expect(examples).toHaveLength(1);
  return examples[0] as Example;
}

/** Selects a few cases: all would take long, and are checked elsewhere. */
function withSomeCases(code: string): string {
  expect(code).toContain('line: "16" }');
  return code.replace('line: "16" }', 'line: "16", areas: ["export"] }');
}

test("judges an adapter in Python by the program on its page", needs("python", !python), async () => {
  const { code } = onlyExample("packages/conformance/README.md", "js");
  const shipped = join(packageRoot(), "python");
  const { printed } = await runExample(withSomeCases(code), "v16", (directory) =>
    writeFileSync(
      join(directory, "my_adapter.py"),
      `import runpy, sys\nsys.path.insert(0, ${JSON.stringify(shipped)})\nsys.argv[1:] = ["16"]\nrunpy.run_path(${JSON.stringify(join(shipped, "adapter.py"))}, run_name="__main__")\n`,
    ),
  );
  expect(printed.at(-2)).toMatch(/^\d+ cases: \d+ pass,/);
  expect(printed.join()).not.toContain(" fail");
});

it("judges a file with the program on its page", async () => {
  const { code } = onlyExample("packages/conformance/docs/check-file.md", "js");
  const { printed } = await runExample(code, "v16", (directory) =>
    copyFileSync(join(packageRoot(), "../../fixtures/legacy/documented-15-one.db"), join(directory, "metrics.db")),
  );
  expect(printed.length).toBeGreaterThan(0);
  for (const line of printed) expect(line).toMatch(/^(?:error|remark) .+: expected .+, got /);
});

it("has a skeleton in Python that answers every request", needs("python", !python), async () => {
  const { code } = onlyExample("packages/conformance/docs/adapter.md", "python");
  writeFileSync(join(folder, "skeleton.py"), code);
  const command = `python3 ${JSON.stringify(join(folder, "skeleton.py"))}`;
  const { summary, cases } = await runWithLongTimeout({ adapter: commandAdapter(command), areas: ["patterns-json"] });
  expect(summary.counts).toMatchObject({ crash: 0, timeout: 0, "harness-error": 0 });
  // A skeleton passes on numbers that JSON does not have, as Python does; the page explains how to avoid it.
  for (const { verdict, reason } of cases)
    if (verdict === "protocol-error") expect(reason).toContain("JSON has no such number");
  expect(cases.filter(({ verdict }) => verdict === "pass").length).toBeGreaterThan(5);
});

it("has an example in Python that prints what it says", needs("python", !python), () => {
  const { code } = onlyExample("packages/conformance/python/README.md", "python");
  const place = freshFolder();
  const env = { ...process.env, PYTHONPATH: join(packageRoot(), "python") };
  const { stdout, stderr } = spawnSync("python3", ["-c", code], { cwd: place, env, encoding: "utf8" });
  const promised = [...code.matchAll(/print\(.*\) {2}# (.*)$/gm)].map(([, text]) => text);
  expect({ stdout: stdout.trim().split("\n"), stderr }).toEqual({ stdout: promised, stderr: "" });
});
