import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { runMain } from "../../../../test/run_main.ts";
import { main } from "../../src/cli/main.ts";
import { loadRequirements } from "../../src/corpus/requirements.ts";
import { violations } from "../../src/values/schemas.ts";
import { checkFile } from "../../src/judge_file/check_file.ts";
import { fileReportText } from "../../src/judge_file/file_report_text.ts";
import { metricsDatabase, writeDatabase } from "./hand_made.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const folder = freshFolder();
const run = (...words: string[]) => runMain(main, ["check-file", ...words]);

describe("perdura-conformance check-file", () => {
  it("reports the kind of a file, its faults, their places and requirements", async () => {
    const { code, stdout } = await run(fixture("invalid", "tag-number.json"));
    expect(code).toBe(4);
    expect(stdout).toContain("a pattern library (JSON), judged by lines 15 and 16");
    expect(stdout).toContain("requirement   R-2.1/tags.array, section 2.1, must: tags is an array of strings");
    expect(stdout).toContain("where         /patterns/0/tags/1, line 11, column 9\n  got           2\n");
    expect(stdout).toMatch(/1 error, 0 remarks\ndoes not conform to lines 15 and 16\n$/);
  });

  it("exits with 0 when the file conforms to the line, or to any", async () => {
    const file = fixture("metrics", "documented-16.db");
    expect(await run(file)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/conforms to line 16\ndoes not conform to line 15\n$/) as string,
    });
    expect((await run(file, "--line", "16")).stdout).toMatch(
      /by line 16\n\n0 errors, 0 remarks\nconforms to line 16\n$/,
    );
    expect((await run(file, "--line", "15")).code).toBe(4);
    expect(await run(file, "--as", "patterns-database")).toMatchObject({
      code: 4,
      stdout: expect.stringContaining("judged as a pattern database") as string,
    });
  });

  it("judges several files, which must all conform", async () => {
    const files = [fixture("libraries", "minimal.json"), fixture("libraries", "minimal.db")];
    expect(await run(...files)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/conforms to lines 15 and 16\n\nperdura/) as string,
    });
    const { code, stdout } = await run("--json", ...files, fixture("invalid", "null.json"));
    const reports = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { conforms: boolean });
    expect([code, reports.map(({ conforms }) => conforms)]).toEqual([4, [true, true, false]]);
  });

  it.each([
    [[], "check-file needs FILE: a file to judge"],
    [[fixture("README.md"), "missing.json"], "missing.json: no such file"],
    [[folder], "is a directory"],
    [[fixture("README.md"), "--line", "14"], '--line: expected 15 or 16, got "14"'],
    [[fixture("README.md"), "--as", "poem"], "--as: expected library, state, patterns-database or metrics-database"],
  ])("%j is wrong usage", async (args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(message)]);
  });

  it("prints a report that matches its schema, and escapes characters of the file", async () => {
    const evil = "\u001b[31m\u009b\u202e";
    const file = writeDatabase(
      join(folder, "evil.db"),
      `${metricsDatabase} CREATE TABLE "${evil}" (a); INSERT INTO interactions (user_id, level, success) VALUES ('${evil}' || x'00', '${evil}', 1);`,
    );
    const json = await run(file, "--json");
    const text = await run(file);
    for (const { stdout } of [json, text])
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(JSON.parse(json.stdout)).toEqual(JSON.parse(JSON.stringify(checkFile(file))));
    expect(json.code).toBe(4);
  });
});

/** Every JSON file and database of a folder of fixtures. */
const filesOf = (name: string) =>
  readdirSync(fixture(name))
    .filter((file) => /\.(?:json|db)$/.test(file) && !file.includes("expected"))
    .map((file) => fixture(name, file));

describe("the report on a file", () => {
  it("matches its schema, and has a text form", () => {
    for (const path of ["libraries", "invalid", "metrics", "legacy"].flatMap(filesOf)) {
      const report = checkFile(path);
      expect(violations("file-report", report)).toEqual([]);
      expect(fileReportText(report, loadRequirements(), { colour: true })).toContain("conform");
    }
    expect(violations("file-report", { ...checkFile(fixture("libraries", "empty.db")), lines: [] })).toHaveLength(1);
  });

  it("names only existing requirements", () => {
    const source = fileURLToPath(new URL("../../src/judge_file", import.meta.url));
    const texts = readdirSync(source).map((name) => readFileSync(join(source, name), "utf8"));
    const named = new Set(texts.flatMap((text) => [...text.matchAll(/"([RU]-[^"]+)"/g)].map(([, id]) => id as string)));
    const known = loadRequirements();
    expect(named.size).toBeGreaterThan(40);
    expect([...named].filter((id) => !known.has(id))).toEqual([]);
  });

  it("is the same for the same file", () => {
    const path = join(folder, "same.json");
    writeFileSync(path, '{"patterns": [{"id": 1}], "metadata": {}}');
    expect(checkFile(path)).toEqual(checkFile(path));
  });
});
