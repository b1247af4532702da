import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { runMain } from "../../../test/run_main.ts";
import { main } from "../src/cli/main.ts";
import { violations } from "../src/values/schemas.ts";
import type { ReportRecord } from "../src/results/record.ts";
import { terminalReport } from "../src/report/terminal.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";

const folder = freshFolder();
const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const cli = (...words: string[]) => runMain(main, words);

/** Runs the command in a separate process. */
function program(words: string[], nodeArgs: string[] = []) {
  const command = ["--conditions=@perdura/source", ...nodeArgs, source("../src/cli.ts"), ...words];
  const env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8", env });
  return { code: status, stdout, stderr };
}
const adapter = (fault: string) => [
  "--adapter",
  `"${process.execPath}" "${source("faulty_adapter.mjs")}" "${fault}"`,
  "--timeout",
  String(Math.min(PATIENCE_MS / 1000, 3600)),
];

describe("perdura-conformance", () => {
  it("run judges a line and writes the whole report", async () => {
    const file = join(folder, "report.ndjson");
    const words = ["run", "--implementation", "perdura-16", "--area", "versioning", "--report", file];
    const { code, stdout } = await cli(...words);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\b\d\d pass/);
    const records = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as ReportRecord);
    expect(records.flatMap((record) => violations("report", record))).toEqual([]);
    expect(terminalReport(records, { colour: false })).toBe(stdout);
  });

  it("run reports each failure, its place and the command that repeats it; --json prints a summary", async () => {
    const { code, stdout } = program([
      "run",
      ...adapter("none"),
      "--case",
      "patterns-sqlite/tables",
      "--case",
      "patterns-json/load-not-a-library",
    ]);
    expect(code).toBe(4);
    expect(stdout).toContain("UNSUPPORTED patterns-sqlite/tables");
    expect(stdout).toContain("section 4.1, must: save_to_sqlite creates the tables patterns and pattern_usage.");
    expect(stdout).toMatch(
      /repeat with +npx @perdura\/conformance run --adapter '.*adapter.mjs.*' --timeout [\d.]+ --case patterns-sqlite\/tables/,
    );
    expect(stdout).not.toContain("\u001b");
    const json = await cli("run", ...adapter("none"), "--case", "patterns-json/load-missing-file", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ exit_code: 0, conformant: false, counts: { pass: 1 } });
    const failed = await cli("run", ...adapter("none"), "--case", "patterns-sqlite/tables", "--json");
    expect([failed.code, (JSON.parse(failed.stdout) as { exit_code: number }).exit_code]).toEqual([4, 4]);
    expect(violations("summary", JSON.parse(failed.stdout))).toEqual([]);
    const events = failed.stderr.trimEnd().split("\n");
    expect(JSON.parse(events[0] as string)).toMatchObject({ event: "progress", stage: "run", done: 1, unit: "cases" });
  });

  it.each([
    [["run"], 2, "exactly one --implementation or --adapter"],
    [["run", "--implementation", "perdura-14"], 2, "expected perdura-15, perdura-16 or perdura-16-postgres, got"],
    [["run", "--implementation", "perdura-16", "--line", "15"], 2, "--line 15 was requested"],
    [["run", "--implementation", "perdura-16", "--line", "newest"], 2, "not a version"],
    [
      ["run", "--implementation", "perdura-16", "--timeout", "0"],
      2,
      "--timeout: expected a number of seconds greater than 0",
    ],
    [["run", "--adapter", '"open'], 2, "is not closed"],
    [["walk"], 2, 'Unknown command "walk"'],
    [["cases", "more"], 2, 'cases takes no arguments; unexpected argument: "more"'],
    [["run", "--implementation", "perdura-16", "--case", "no/such"], 2, 'no case "no/such"'],
    [["run", "--implementation", "perdura-16", "--workers", "2"], 2, "--workers"],
    [
      ["run", "--implementation", "perdura-16", "--seed", "x"],
      2,
      "--seed: expected a whole number from 0 to 4294967295",
    ],
    [["run", "--implementation", "perdura-16", "--profile", "all"], 2, 'no profile "all"'],
    [["run", "--implementation", "perdura-16", "--expected-failures", "none.json"], 2, "none.json cannot be read"],
    [["cases", "--adapter", "x"], 2, "--adapter"],
    [["export", "there"], 2, "--line"],
    [["matrix"], 2, "at least one --implementation"],
    [["run", "--wrong"], 2, "--wrong"],
    [["explain", "R-0"], 2, 'section or case has the id "R-0"'],
  ])("%j is wrong usage", async (words, code, message) => {
    const run = await cli(...words);
    expect(run.code).toBe(code);
    expect(run.stderr).toContain(message);
  });

  it("exits with 1 if nothing ran", async () => {
    const none = await cli("run", "--implementation", "perdura-16", "--case", "state/delete");
    expect([none.code, none.stdout.includes("no judgement")]).toEqual([1, true]);
    expect((await cli("run", ...adapter("exits at once"))).code).toBe(1);
  });

  it("writes the report although the reader of its output ended", () => {
    const file = join(folder, "piped.ndjson");
    const words = ["run", "--implementation", "perdura-16", "--area", "versioning", "--report", file];
    const command = [process.execPath, "--conditions=@perdura/source", source("../src/cli.ts"), ...words];
    const quoted = command.map((word) => `'${word}'`).join(" ");
    const { status, stderr } = spawnSync("bash", ["-c", `${quoted} | true; exit \${PIPESTATUS[0]}`], {
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(readFileSync(file, "utf8")).toContain('"record":"timing"');
  });

  it("explains requirements and cases", async () => {
    const printed = async (...words: string[]) => (await cli(...words)).stdout;
    expect(await printed("explain", "R-7/json.decode")).toContain("patterns-json/load-invalid-json");
    expect(await printed("explain", "metrics/range")).toContain("U-range");
    expect(await printed("explain", "R-2.3")).toBe(await printed("explain", "2.3"));
    expect(await printed("requirements")).toMatch(/ \[1 case\]$/m);
    expect(await printed("requirements", "--uncovered")).not.toContain("no case yet");
    expect(await printed("cases")).toContain("state/hostile-ids");
    expect(await printed("--help")).toContain("Examples");
    expect(await printed("--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("prints the report even if a report file cannot be written, and then fails", async () => {
    // Its folder existed when the run began.
    const gone = freshFolder(folder);
    const [, command = ""] = adapter("none");
    const script = join(folder, "removes_folder.mjs");
    writeFileSync(
      script,
      `import { rmdirSync } from "node:fs"; import { spawnSync } from "node:child_process";
       try { rmdirSync(${JSON.stringify(gone)}); } catch {}
       process.exitCode = spawnSync(${JSON.stringify(command)}, { shell: true, stdio: "inherit" }).status;`,
    );
    const words = ["--adapter", `"${process.execPath}" "${script}"`, "--case", "patterns-json/load-missing-file"];
    const { code, stdout, stderr } = await cli("run", ...words, "--junit", join(gone, "junit.xml"));
    expect([code, stdout.includes("1 pass")]).toEqual([1, true]);
    expect(stderr).toMatch(/--junit .*junit\.xml: the file cannot be written: ENOENT/);
  });

  it("hides possible secrets in wrong arguments", async () => {
    for (const words of [
      ["postgres://u:hunter2@h/d"],
      ["cases", "password=hunter2"],
      ["run", "--line", "a://u:hunter2@h"],
    ]) {
      const { code, stderr } = await cli(...words);
      expect(code).toBe(2);
      expect(stderr).not.toContain("hunter2");
    }
  });

  it("refuses an older Node in one sentence", () => {
    const old = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'22.13.1'}})";
    expect(program(["--version"], ["--import", old])).toEqual({
      code: 2,
      stdout: "",
      stderr: "perdura-conformance needs Node.js 22.14 or newer; this is Node.js 22.13.1.\n",
    });
  });
});
