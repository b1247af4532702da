import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { job } from "./job.ts";
import { PYTHON_MINOR } from "../python.ts";
import { needs } from "../needs.ts";

const IN_PYTHON = fileURLToPath(new URL("../../packages/conformance/python", import.meta.url));
const FORGETFUL = fileURLToPath(new URL("programs/forgetful_adapter.mjs", import.meta.url));
const NODE = JSON.stringify(process.execPath);

const { workspace, folder, judge } = job();
const inWorkspace = (name: string): string => join(workspace, name);

/** Checks that the program under test cannot control the job: none of its text becomes a command, a link or a tag. */
function expectSilence(summary: string, log: string): void {
  expect(summary.split("\n", 1)[0]).not.toMatch(/[[<]/);
  const [, token] = /^::stop-commands::(.+)$/m.exec(log) ?? [];
  const [before, between, after] = log.split(`::${token}`);
  expect(between).toContain("::error::said by what is judged");
  expect(before).not.toContain("said by what is judged");
  expect(after).not.toContain("said by what is judged");
}

describe("the action", () => {
  test("reports that the Python implementation conforms", needs("python", PYTHON_MINOR === undefined), () => {
    const reports = inWorkspace("of python");
    const inputs = {
      adapter: "python3 adapter.py 16",
      line: "16",
      profile: "json",
      "working-directory": IN_PYTHON,
      "reports-directory": reports,
      reports: "html, junit markdown badge",
      workers: "2",
      seed: "7",
      timeout: "20",
    };
    const { status, outputs, summary, log } = judge(inputs);
    expect(log).toMatch(/^conformant \(profile json\): (\d+) of \1 must cases passed$/m);
    expect(status).toBe(0);
    expect(outputs).toMatchObject({ verdict: "conformant", "exit-code": "0", failed: "0", "expected-failures": "0" });
    expect(Number(outputs["passed"])).toBeGreaterThan(100);
    for (const name of ["report", "html", "junit", "markdown", "badge"]) {
      expect(outputs[name]).toContain(reports);
      expect(readFileSync(outputs[name] as string, "utf8").length).toBeGreaterThan(50);
    }
    expect(summary).toMatch(/^## Conformant: agent-persistence-python 0\.1\.0, specification 16\.0\.0, profile json$/m);
    expect(summary).toContain("| R-2.1/confidence.default");
  });

  test("fails for an implementation that does not conform, after writing outputs and summary", () => {
    const { status, outputs, summary, log } = judge({ adapter: `${NODE} ${FORGETFUL}`, profile: "json" });
    expect(status).toBe(4);
    expect(outputs).toMatchObject({ verdict: "not-conformant", "exit-code": "4" });
    expect(outputs).not.toHaveProperty("forged");
    expect(Number(outputs["failed"])).toBeGreaterThan(20);
    expect(outputs["html"]).toBe(inWorkspace("conformance/report.html"));
    expect(existsSync(inWorkspace("conformance/report.html"))).toBe(true);
    expect(summary).toMatch(/^## Not conformant: forgetful /m);
    expect(summary).toContain("- `patterns-json/save-then-load`: fail");
    expect(log).toMatch(/^::error::Not as expected: \d+ deviations; exit code 4\.$/m);
    expectSilence(summary, log);
  });

  test("passes when exactly the listed expected failures occur", () => {
    const python = fileURLToPath(new URL("../../examples/python", import.meta.url));
    const inputs = {
      adapter: "python3 adapter.py",
      "working-directory": python,
      profile: "json",
      "expected-failures": "known.json",
      "reports-directory": inWorkspace("of the example"),
    };
    const { status, outputs, summary } = judge(inputs);
    expect(status).toBe(0);
    expect(outputs).toMatchObject({ "exit-code": "0", failed: "0", "expected-failures": "7" });
    expect(summary).toContain("0 failed, 7 failed as expected");
  });

  test.each([
    ["does not exist", { adapter: "no-such-program" }, 1, "no-such-program"],
    ["is not set", { adapter: " " }, 2, "adapter: expected the command that starts the adapter."],
  ])("reports that the adapter %s", (_, inputs, code, said) => {
    const { status, outputs, summary } = judge(inputs);
    expect(status).toBe(code);
    expect(outputs).toMatchObject({ verdict: "not-judged", "exit-code": String(code) });
    expect(summary).toMatch(/^## Not judged/);
    expect(summary).toContain(said);
  });

  test("reports an error of the action as not judged", () => {
    folder("taken/report.html");
    const { status, outputs, log } = judge({ adapter: "x", "reports-directory": "taken" });
    expect(log).toContain("::error::");
    expect(status).toBe(1);
    expect(outputs).toMatchObject({ verdict: "not-judged", "exit-code": "1" });
  });

  test("writes no summary if it is turned off", () => {
    expect(judge({ adapter: " ", "job-summary": "false" })).toMatchObject({ status: 2, summary: "" });
  });
});

describe("a runner", () => {
  const old = ["/usr/bin/node", "/usr/local/bin/node"].find((program) => {
    const [, major] = /^v(\d+)/.exec(spawnSync(program, ["--version"], { encoding: "utf8" }).stdout ?? "") ?? [];
    return Number(major) >= 18 && Number(major) < 22;
  });

  test("with an old Node.js gets an error before anything is installed", needs("node-20", old === undefined), () => {
    const path = folder("old node");
    symlinkSync(old as string, join(path, "node"));
    const { status, outputs, log } = judge({ adapter: "x", version: "0.0.0-nothing" }, path);
    expect(status).toBe(1);
    expect(log).toMatch(
      /^::error::The oracle needs Node\.js 22\.14 or newer, but this runner has 2\d\.\S+: set the input node/,
    );
    expect(outputs["verdict"]).toBe("not-judged");
  });

  test("without Node.js gets an error", () => {
    const { status, log } = judge({ adapter: "x" }, folder("nothing"));
    expect(status).toBe(1);
    expect(log).toBe(
      "::error::The oracle needs Node.js 22.14 or newer, but this runner has none: set the input node-version.\n",
    );
  });
});
