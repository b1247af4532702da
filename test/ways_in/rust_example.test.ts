import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blocks, comparable, exampleFolder, runCommands } from "./example_page.ts";

const NO_CARGO = spawnSync("cargo", ["--version"]).status !== 0;

test("there is a cargo where one is required", () => {
  if (process.env["REQUIRE_CARGO"] === "1") expect(NO_CARGO).toBe(false);
});

describe.skipIf(NO_CARGO)(`the example rust${NO_CARGO ? " (not run: no cargo on this machine)" : ""}`, () => {
  const [build = "", judge = ""] = (blocks("rust", "sh")[0] ?? "").trim().split("\n");
  let place: string;

  const cargo = (command: string) =>
    runCommands(command, exampleFolder("rust"), { CARGO_TARGET_DIR: join(place, "target"), CARGO_TERM_COLOR: "never" });

  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), "perdura-rust-"));
    const { status, stderr } = cargo(`${build} --locked`);
    expect(status, stderr).toBe(0);
    expect(stderr).not.toContain("warning");
  });

  afterAll(() => rmSync(place, { recursive: true, force: true }));

  test("passes every case for the line 16, as its page shows", () => {
    const { status, stdout } = runCommands(judge, place);
    expect(comparable(stdout)).toBe(blocks("rust", "text")[0]);
    expect(status).toBe(0);
  });

  test("passes every case for the line 15", () => {
    const { status, stdout } = runCommands(judge.replaceAll("16", "15"), place);
    // Only what is for another line, or outside the profile, has no result.
    expect(stdout).toMatch(/^\d+ cases: 103 pass, \d+ inapplicable, \d+ not-run \(/m);
    expect(stdout).toContain("\nconformant (profile json): every must passed and none was left out\n");
    expect(status).toBe(0);
  });

  test("passes its own tests", () => {
    const { status, stdout, stderr } = cargo("cargo test --offline --locked");
    expect(status, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/test result: ok\. \d\d passed/);
  });
});
