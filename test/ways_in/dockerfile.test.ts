import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ACTION, ORACLE } from "./action_steps.ts";
import { defaults, parseDockerfile, readDockerfile } from "./dockerfile.ts";
import type { Instruction } from "./dockerfile.ts";
import { OUR_NODE_FIRST } from "./our_node.ts";
import { freshFolder } from "../fresh_folder.ts";

const STEPS = readDockerfile(join(ORACLE, "Dockerfile"));
const PAGE = readFileSync(join(ORACLE, "README.md"), "utf8");
const FORGETFUL = fileURLToPath(new URL("programs/forgetful_adapter.mjs", import.meta.url));

const last = (steps: readonly Instruction[], name: string): string | undefined =>
  steps.findLast((step) => step.name === name)?.text;

// No image is built here: not every machine has an engine for it. The steps of the image are run without one.
test("the commands of the image install the suite in an empty folder, and its entry point runs it", () => {
  const place = freshFolder();
  const env = { ...process.env, ...defaults(STEPS), PATH: OUR_NODE_FIRST, SUITE: process.env["WAYS_IN_SUITE"] };
  // Folders of the image are below ours, which replaces its root.
  let folder = place;
  for (const { name, text } of STEPS) {
    if (name === "WORKDIR") mkdirSync((folder = join(place, text)), { recursive: true });
    if (name !== "RUN") continue;
    const { status, stderr } = spawnSync("/bin/sh", ["-c", text], { cwd: folder, encoding: "utf8", env });
    expect(status, stderr).toBe(0);
  }
  const [program, script] = JSON.parse(last(STEPS, "ENTRYPOINT") as string) as [string, string];
  const start = (...words: string[]) =>
    spawnSync(program, [join(place, script), ...words], { cwd: folder, encoding: "utf8", env });
  expect(start(...(JSON.parse(last(STEPS, "CMD") as string) as string[]))).toMatchObject({ status: 0, stderr: "" });
  const adapter = `${JSON.stringify(process.execPath)} ${FORGETFUL}`;
  const judged = start("run", "--adapter", adapter, "--profile", "json", "--html", "report.html");
  expect(judged.status).toBe(4);
  expect(judged.stdout).toContain("not conformant (profile json)");
  expect(readFileSync(join(place, "work/report.html"), "utf8")).toContain("patterns-json/save-then-load");
});

test("the image uses a pinned base version, and does not run as root", () => {
  const args = defaults(STEPS);
  expect(STEPS.filter(({ name }) => name === "FROM")).toEqual([{ name: "FROM", text: "node:${NODE_VERSION}-slim" }]);
  expect(args["NODE_VERSION"]).toMatch(/^(?:2[4-9]|[3-9]\d)\.\d+\.\d+$/);
  expect(args["SUITE"]).toBe(`@perdura/conformance@${ACTION.inputs["version"]?.default}`);
  const names = STEPS.map(({ name }) => name);
  expect(names.indexOf("USER")).toBeGreaterThan(names.lastIndexOf("RUN"));
  expect(last(STEPS, "USER")).toBe("node");
  expect(last(STEPS, "WORKDIR")).toBe("/work");
});

test("the image of an implementation copies the suite and the entry point of this image", () => {
  const [, block] = /^```dockerfile\n(.*?)^```$/ms.exec(PAGE) ?? [];
  const steps = parseDockerfile(block as string);
  const suite = STEPS.find(({ name, text }) => name === "WORKDIR" && text !== "/work")?.text;
  const copies = steps.filter(({ name }) => name === "COPY").map(({ text }) => text);
  expect(copies).toContain(`--from=perdura-oracle ${suite} ${suite}`);
  expect(last(steps, "ENTRYPOINT")).toBe(last(STEPS, "ENTRYPOINT"));
  expect(last(steps, "WORKDIR")).toBe("/work");
  expect(steps.findIndex(({ name }) => name === "USER")).toBeGreaterThan(0);
});
