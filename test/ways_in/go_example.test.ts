import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blocks, comparable, exampleFolder, expectShown, runCommands } from "./example_page.ts";
import { needs } from "../needs.ts";
import { temporaryFolder } from "../temporary_folder.ts";

/** The driver from the package of Debian: a module proxy is not needed then. */
const DRIVER = "/usr/share/gocode/src/github.com/mattn/go-sqlite3";

const NO_GO = spawnSync("go", ["version"]).status !== 0 || !existsSync(DRIVER);

describe("the example go", needs("go", NO_GO), () => {
  const [, build = "", ...judgements] = blocks("go", "sh").map((block) => block.trim());
  let place: string;

  const go = (command: string) =>
    runCommands(command, exampleFolder("go"), { GOFLAGS: `-modfile=${join(place, "debian.mod")}`, GOPROXY: "off" });

  beforeAll(() => {
    place = temporaryFolder();
    const commands = build
      .replace(/^apt-get .*\n/, "")
      .replaceAll("/tmp/debian.mod", join(place, "debian.mod"))
      .replace("-o bin/", `-o ${join(place, "bin/")}`);
    expect(commands).toContain(`-replace github.com/mattn/go-sqlite3=${DRIVER} `);
    const { status, stderr } = runCommands(commands, exampleFolder("go"));
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });

  afterAll(() => rmSync(place, { recursive: true, force: true }));

  test("produces the reports that its page shows, none with a failure", async () => {
    expect(judgements).toHaveLength(2);
    const said = judgements.map((judge) => runCommands(judge, place));
    expect(said.map(({ status }) => status)).toEqual(judgements.map(() => 0));
    const reports = said.map(({ stdout }) => comparable(stdout));
    await expectShown("go", reports);
    for (const report of reports) expect(report).not.toMatch(/FAIL| fail|differs/);
  });

  test("passes its own tests, and the checks that Go brings", () => {
    expect(go("gofmt -l .")).toMatchObject({ status: 0, stdout: "" });
    expect(go("go vet ./...")).toMatchObject({ status: 0, stderr: "" });
    const { status, stdout, stderr } = go("go test ./...");
    expect(status, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/^ok\s+example\.com\/agentpersistence\/internal\/states\s/m);
  });

  test("has an adapter of fewer than 200 lines", () => {
    expect(readFileSync(join(exampleFolder("go"), "cmd/adapter/main.go"), "utf8").split("\n").length - 1).toBeLessThan(
      200,
    );
  });
});
