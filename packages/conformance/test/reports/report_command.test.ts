import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runMain } from "../../../../test/run_main.ts";
import { main } from "../../src/cli/main.ts";
import { FORMATS, renderReport } from "../../src/report/formats.ts";
import { everything } from "./everything.ts";
import { caseRecord, stream } from "./sample_records.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const folder = freshFolder();
const save = (name: string, records: readonly object[]): string => {
  writeFileSync(join(folder, name), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return join(folder, name);
};
const one = save("one.ndjson", everything());
const two = save("two.ndjson", stream([caseRecord("a/a")]));

const report = (...words: string[]) => runMain(main, ["report", ...words]);
const printed = async (...words: string[]): Promise<string> => {
  const { code, stdout, stderr } = await report(...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
};

describe("perdura-conformance report", () => {
  it.each(FORMATS)("makes %s from a file", async (format) => {
    expect(await printed("--format", format, one)).toBe(renderReport(format, [everything()]));
  });

  it("prints the text for a terminal when no format is given", async () => {
    expect(await printed(one)).toBe(renderReport("terminal", [everything()]));
  });

  it("compares several reports", async () => {
    const text = await printed("--format", "markdown", "--by", "area", one, two);
    expect(text).toBe(renderReport("markdown", [everything(), stream([caseRecord("a/a")])], { by: "area" }));
  });

  it("replaces an existing file atomically", async () => {
    const output = join(folder, "report.html");
    writeFileSync(output, "before");
    expect(await printed("--format", "html", "--output", output, one)).toBe("");
    expect(readFileSync(output, "utf8")).toBe(renderReport("html", [everything()]));
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("prints the summary as JSON, and the verdict alone", async () => {
    const json = JSON.parse(renderReport("json", [everything()])) as object;
    expect(JSON.parse(await printed("--json", one))).toEqual(json);
    expect(await printed("--quiet", one)).toMatch(/^not conformant.*\n$/);
  });

  it.each([
    [[], /report needs FILE: /],
    [["--format", "pdf", one], /--format: expected terminal, json.* or html, got "pdf"/],
    [["--format", "junit", one, two], /accepts one report, got 2\. Use --compare, or --format markdown or html/],
    [["--compare", one], /--compare needs two reports, an earlier and a later one; got 1/],
    [["--compare", "--format", "html", one, two], /--compare cannot be combined with --format or --by/],
    [["--format", "html", "--by", "area", one], /--by requires --format markdown/],
    [["--format", "html", "--json", one], /--json and --format html cannot be combined/],
    [["--format", "markdown", "--by", "colour", one], /--by: expected requirement or area, got "colour"/],
    [["--output", join(folder, "no", "such"), one], /--output: .*no.such: the report cannot be written: ENOENT/],
    [[join(folder, "none")], /none: the report cannot be read/],
  ])("%j is wrong usage", async (words, message) => {
    expect(await report(...words)).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(message) as string });
  });
});
