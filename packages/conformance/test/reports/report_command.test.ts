import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { reportCommand } from "../../src/cli/report_command.ts";
import { UsageError } from "../../src/cli/usage_error.ts";
import { FORMATS, renderReport } from "../../src/report/formats.ts";
import { everything } from "./everything.ts";
import { caseRecord, stream } from "./sample_records.ts";

const folder = mkdtempSync(join(tmpdir(), "perdura-report-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const save = (name: string, records: readonly object[]): string => {
  writeFileSync(join(folder, name), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return join(folder, name);
};
const one = save("one.ndjson", everything());
const two = save("two.ndjson", stream([caseRecord("a/a")]));

describe("perdura-conformance report", () => {
  it.each(FORMATS)("makes %s from a file", (format) => {
    expect(reportCommand({ format }, [one])).toBe(renderReport(format, [everything()]));
  });

  it("prints the text for a terminal when no format is given", () => {
    expect(reportCommand({}, [one])).toBe(renderReport("terminal", [everything()]));
  });

  it("compares several reports", () => {
    const text = reportCommand({ format: "markdown", by: "area" }, [one, two]);
    expect(text).toBe(renderReport("markdown", [everything(), stream([caseRecord("a/a")])], { by: "area" }));
  });

  it("writes a file whole, over the one that was there", () => {
    const output = join(folder, "report.html");
    writeFileSync(output, "before");
    expect(reportCommand({ format: "html", output }, [one])).toBe("");
    expect(readFileSync(output, "utf8")).toBe(renderReport("html", [everything()]));
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it.each([
    [{}, [], /needs a file/],
    [{ format: "pdf" }, [one], /--format pdf: the choices are terminal, json/],
    [{ format: "html" }, [one, two], /takes one report, and there are 2; markdown compares them/],
    [{ format: "html", by: "area" }, [one], /--by belongs to --format markdown/],
    [{ format: "markdown", by: "colour" }, [one], /--by colour: the choices are requirement, area/],
    [{ output: join(folder, "no", "such") }, [one], /--output .*no.such: the report cannot be written: ENOENT/],
    [{}, [join(folder, "none")], /none: the report cannot be read/],
  ])("%j is wrong usage", (values, files, message) => {
    expect(() => reportCommand(values, files)).toThrow(UsageError);
    expect(() => reportCommand(values, files)).toThrow(message);
  });
});
