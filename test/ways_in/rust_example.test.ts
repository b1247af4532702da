import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blocks, comparable, exampleFolder, expectShown, runCommands } from "./example_page.ts";
import { needs } from "../needs.ts";
import { temporaryFolder } from "../temporary_folder.ts";

const NO_CARGO = spawnSync("cargo", ["--version"]).status !== 0;

describe("the example rust", needs("cargo", NO_CARGO), () => {
  const [build = "", ...judgements] = blocks("rust", "sh").map((block) => block.trim());
  let place: string;

  const cargo = (command: string) =>
    runCommands(command, exampleFolder("rust"), {
      CARGO_TARGET_DIR: join(place, "target"),
      CARGO_TERM_COLOR: "never",
      // It is neither debugged nor built again: preparing for that is a good part of the work.
      CARGO_PROFILE_DEV_DEBUG: "0",
      CARGO_INCREMENTAL: "0",
    });

  beforeAll(() => {
    place = temporaryFolder();
    const { status, stderr } = cargo(`${build} --locked`);
    expect(status, stderr).toBe(0);
    expect(stderr).not.toContain("warning");
  });

  afterAll(() => rmSync(place, { recursive: true, force: true }));

  test("produces the reports that its page shows, none with a failure", async () => {
    expect(judgements).toHaveLength(3);
    const said = judgements.map((judge) => runCommands(judge, place));
    expect(said.map(({ status }) => status)).toEqual(judgements.map(() => 0));
    const reports = said.map(({ stdout }) => comparable(stdout));
    await expectShown("rust", reports);
    for (const report of reports) expect(report).not.toMatch(/FAIL| fail/);
  });

  test("passes its own tests", () => {
    const { status, stdout, stderr } = cargo("cargo test --offline --locked");
    expect(status, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/test result: ok\. \d\d passed/);
  });
});
