import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { runMain } from "../../../test/run_main.ts";
import { main } from "../src/cli/main.ts";
import { readExpectedFailures } from "../src/runner/expected_failures.ts";

const program = fileURLToPath(new URL("faulty_adapter.mjs", import.meta.url));
const ADAPTER = ["--adapter", `"${process.execPath}" "${program}" none`];
const TIMEOUT = ["--timeout", String(Math.min(PATIENCE_MS / 1000, 3600))];
/** One case passes with this adapter, two fail. */
const CASES = ["patterns-json/field-names", "patterns-json/contributions", "patterns-json/file-layout"];

let folder: string;
const inside = (...names: string[]): string => join(folder, ...names);
beforeEach(() => {
  folder = freshFolder();
});

const run = (...words: string[]) => runMain(main, ["run", ...ADAPTER, ...TIMEOUT, ...words]);
const chosen = CASES.flatMap((id) => ["--case", id]);

describe("run", () => {
  it("keeps files, messages and stderr of failed cases, which can be run again", async () => {
    const keep = inside("kept");
    const { code } = await run(...chosen, "--keep", keep);
    expect(code).toBe(4);
    expect(readdirSync(keep)).toEqual(["cases", "patterns-json"]);
    expect(readdirSync(join(keep, "patterns-json"))).toEqual(["contributions", "file-layout"]);
    const own = join(keep, "patterns-json", "contributions");
    expect(readdirSync(join(own, "files"))).toEqual(["library.json"]);
    const messages = readFileSync(join(own, "messages.txt"), "utf8").trimEnd().split("\n");
    expect(messages[0]).toMatch(/^> .*"begin"/);
    expect(messages[1]).toMatch(/^< .*"ok"/);
    expect(messages.some((line) => line.includes("save_to_json"))).toBe(true);

    const repeated = await runMain(main, ["run", "--implementation", "perdura-16", "--cases", join(keep, "cases")]);
    expect(repeated.stdout).toContain("2 cases: 2 pass");
    expect(repeated.code).toBe(0);

    const alone = await run("--cases", join(keep, "cases"));
    expect(alone.stdout).toMatch(
      /repeat with .* --timeout [\d.]+ --cases ["'].*cases["'] --case patterns-json\/contributions\n/,
    );
  });

  it("keeps a generated case as the sequence that failed", async () => {
    const keep = inside("kept");
    const { code } = await run("--case", "generated/json-libraries", "--keep", keep);
    expect(code).toBe(4);
    const { steps } = JSON.parse(readFileSync(join(keep, "cases", "generated", "json-libraries.json"), "utf8")) as {
      steps: object[];
    };
    expect(steps.some((step) => "generate" in step)).toBe(false);
    expect(steps.length).toBeGreaterThan(1);
    const { code: alone } = await run("--cases", join(keep, "cases"));
    expect(alone).toBe(4);
  });

  it("does not replace a directory that has something in it", async () => {
    mkdirSync(inside("mine"));
    writeFileSync(inside("mine", "note"), "");
    const { code, stderr } = await run(...chosen, "--keep", inside("mine"));
    expect(code).toBe(2);
    expect(stderr).toContain("is not an empty directory");
    expect(readdirSync(inside("mine"))).toEqual(["note"]);
  });

  it("writes the list with which it is as expected, and keeps what a person wrote in it", async () => {
    const list = inside("known.json");
    expect((await run(...chosen, "--write-expected-failures", list)).code).toBe(4);
    const entries = readExpectedFailures(list);
    expect(entries.map((entry) => entry.case)).toEqual(["patterns-json/contributions", "patterns-json/file-layout"]);
    expect((await run(...chosen, "--expected-failures", list)).code).toBe(0);

    const link = "https://example.org/issues/1";
    const old = [
      { ...entries[0], kind: "disagreement", link },
      { ...entries[1], checks: ["other"] },
      { case: "patterns-json/field-names", kind: "bug" },
      { case: "patterns-sqlite/columns", kind: "missing" },
    ];
    writeFileSync(list, JSON.stringify({ expected_failures: old }));
    expect((await run(...chosen, "--expected-failures", list, "--write-expected-failures", list)).code).toBe(4);
    expect(readExpectedFailures(list)).toEqual([{ ...entries[0], kind: "disagreement", link }, entries[1], old[3]]);
  });

  it("adds to the list that it writes, and replaces no file that is not one", async () => {
    const list = inside("known.json");
    await run("--case", CASES[1] as string, "--write-expected-failures", list);
    await run("--case", CASES[2] as string, "--write-expected-failures", list);
    expect(readExpectedFailures(list).map((entry) => entry.case)).toEqual([CASES[1], CASES[2]]);

    writeFileSync(list, "notes");
    const { code, stderr } = await run(...chosen, "--write-expected-failures", list);
    expect(code).toBe(2);
    expect(stderr).toContain("known.json");
    expect(readFileSync(list, "utf8")).toBe("notes");
  });

  it("repeats what failed in a report, and has nothing to do where nothing failed", async () => {
    const report = inside("report.ndjson");
    await run(...chosen, "--report", report);
    const { code, stdout } = await run("--failed-in", report);
    expect(code).toBe(4);
    expect(stdout).toMatch(/cases: 2 fail, \d+ inapplicable, \d+ not-run/);

    await run("--case", CASES[0] as string, "--report", report);
    const none = await run("--failed-in", report);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain("no case failed in");
  });

  it("refuses cases of a directory that does not exist", async () => {
    const { code, stderr } = await run("--cases", inside("nowhere"));
    expect(code).toBe(2);
    expect(stderr).toContain("is not a directory");
    expect(existsSync(inside("nowhere"))).toBe(false);
  });
});
