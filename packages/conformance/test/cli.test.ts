import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { runMain } from "../../../test/run_main.ts";
import { main } from "../src/cli/main.ts";
import { violations } from "../src/corpus/schemas.ts";
import type { ReportRecord } from "../src/report/record.ts";
import { terminalReport } from "../src/report/terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "perdura-cli-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const cli = (...words: string[]) => runMain(main, words);

/** The same in a process of its own. */
function program(words: string[], nodeArgs: string[] = []) {
  const command = ["--conditions=@perdura/source", ...nodeArgs, source("../src/cli.ts"), ...words];
  const env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8", env });
  return { code: status, stdout, stderr };
}
const adapter = (fault: string) => [
  "--adapter",
  `"${process.execPath}" "${source("../selftest/faulty_adapter.mjs")}" "${fault}"`,
  "--timeout",
  String(Math.min(PATIENCE_MS / 1000, 3600)),
];

describe("perdura-conformance", () => {
  it("run judges a line and writes the whole report", async () => {
    const file = join(folder, "report.ndjson");
    const words = ["run", "--implementation", "perdura-16", "--area", "versioning", "--report", file];
    const { code, stdout } = await cli(...words);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\b10 pass/);
    const records = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as ReportRecord);
    expect(records.flatMap((record) => violations("report", record))).toEqual([]);
    expect(terminalReport(records, { colour: false })).toBe(stdout);
  });

  it("run says what failed, where, and how to repeat it; --json gives a summary", async () => {
    const { code, stdout } = program([
      "run",
      ...adapter("none"),
      "--case",
      "patterns-sqlite/tables",
      "--case",
      "patterns-json/load-not-a-library",
    ]);
    expect(code).toBe(1);
    expect(stdout).toContain("UNSUPPORTED patterns-sqlite/tables");
    expect(stdout).toContain("section 4.1, must: save_to_sqlite creates the tables patterns and pattern_usage.");
    expect(stdout).toMatch(/again +perdura-conformance run --adapter ".*adapter.mjs.*" --case patterns-sqlite\/tables/);
    expect(stdout).not.toContain("\u001b");
    const json = await cli("run", ...adapter("none"), "--case", "patterns-json/load-missing-file", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ exit_code: 0, conformant: false, counts: { pass: 1 } });
  });

  it.each([
    [["run"], 2, "either --implementation or --adapter"],
    [["run", "--implementation", "perdura-14"], 2, "perdura-15, perdura-16, perdura-16-postgres"],
    [["run", "--implementation", "perdura-16", "--line", "15"], 2, "--line 15 was asked for"],
    [["run", "--implementation", "perdura-16", "--line", "newest"], 2, "not a version"],
    [["run", "--implementation", "perdura-16", "--timeout", "0"], 2, "--timeout 0"],
    [["run", "--adapter", '"open'], 2, "left open"],
    [["walk"], 2, 'no command "walk"'],
    [["cases", "more"], 2, "1 words were given"],
    [["run", "--implementation", "perdura-16", "--case", "no/such"], 2, 'no case "no/such"'],
    [["run", "--implementation", "perdura-16", "--workers", "2"], 2, "--workers"],
    [["run", "--implementation", "perdura-16", "--seed", "x"], 2, "--seed x"],
    [["run", "--implementation", "perdura-16", "--profile", "all"], 2, 'no profile "all"'],
    [["run", "--implementation", "perdura-16", "--expected-failures", "none.json"], 2, "none.json cannot be read"],
    [["cases", "--adapter", "x"], 2, "--adapter"],
    [["export", "there"], 2, "--line"],
    [["matrix"], 2, "several of them"],
    [["selftest", "--part", "x"], 2, "runner corpus"],
    [["run", "--wrong"], 2, "--wrong"],
    [["explain", "R-0"], 2, 'no case "R-0"'],
  ])("%j is wrong usage", async (words, code, message) => {
    const run = await cli(...words);
    expect(run.code).toBe(code);
    expect(run.stderr).toContain(message);
  });

  it("exits with 3 when nothing ran", async () => {
    const none = await cli("run", "--implementation", "perdura-16", "--case", "state/delete");
    expect([none.code, none.stdout.includes("no judgement")]).toEqual([3, true]);
    expect((await cli("run", ...adapter("exits at once"))).code).toBe(3);
  });

  it("a reader that has seen enough is no error, and the report is written all the same", () => {
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
    expect(await printed("requirements", "--uncovered")).not.toContain("no case yet");
    expect(await printed("cases")).toContain("state/hostile-ids");
    expect(await printed("--help")).toContain("Examples");
    expect(await printed("--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("refuses an older Node in one sentence", () => {
    const old = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'22.13.1'}})";
    expect(program(["--version"], ["--import", old])).toEqual({
      code: 3,
      stdout: "",
      stderr: "perdura-conformance needs Node 22.14 or newer, and this is Node 22.13.1.\n",
    });
  });
});
