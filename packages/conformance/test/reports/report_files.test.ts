import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { UsageError } from "@perdura/cli/usage_error.js";
import { checkReportFiles, writeReportFiles } from "../../src/cli/report_files.ts";
import { REPORT_FILE_OPTIONS } from "../../src/cli/table.ts";
import { renderReport } from "../../src/report/formats.ts";
import { readReport } from "../../src/report/read_report.ts";
import { writeAtomically } from "../../src/report/write_file.ts";
import { readExpectedFailures } from "../../src/runner/expected_failures.ts";
import { everything } from "./everything.ts";
import { ON_POSIX } from "../../../../test/needs.ts";

let folder: string;
const inside = (name: string): string => join(folder, name);
beforeEach(() => {
  folder = freshFolder();
});

describe("the report files of a run", () => {
  it("are all written, without other files", () => {
    const options = [...REPORT_FILE_OPTIONS, "write-expected-failures"] as const;
    const values = Object.fromEntries(options.map((option) => [option, inside(option)]));
    checkReportFiles(values);
    expect(readdirSync(folder)).toEqual([]);
    const expectedFailures = [{ case: "area/one", kind: "bug" } as const];
    writeReportFiles({ records: everything(), expectedFailures }, values);
    expect(readdirSync(folder)).toEqual([...options].toSorted());
    expect(readExpectedFailures(inside("write-expected-failures"))).toEqual(expectedFailures);
    for (const format of ["badge", "html", "junit", "markdown"] as const)
      expect(readFileSync(inside(format), "utf8")).toBe(renderReport(format, [everything()]));
    expect(readReport(inside("report"))).toEqual(everything());
  });

  it("are refused before the run if one cannot be written, is named twice or is empty", () => {
    mkdirSync(inside("here"));
    const refused = (values: Parameters<typeof checkReportFiles>[0], message: RegExp): void => {
      expect(() => checkReportFiles(values)).toThrow(UsageError);
      expect(() => checkReportFiles(values)).toThrow(message);
    };
    refused({ html: inside("none/report.html") }, /--html .*report\.html: the file cannot be written: ENOENT/);
    refused({ junit: inside("here") }, /--junit .*is a directory/);
    refused({ junit: inside("a"), markdown: `${folder}/./a` }, /--markdown .*: --junit writes to the same file/);
    refused({ badge: "" }, /--badge: expected the name of a file/);
  });

  it("one that fails at the end is named, and the others are written", () => {
    const values = { report: inside("gone/report.ndjson"), junit: inside("junit.xml") };
    expect(() => writeReportFiles({ records: everything(), expectedFailures: [] }, values)).toThrow(
      /^--report .*gone.report\.ndjson: the file cannot be written/,
    );
    expect(readdirSync(folder)).toEqual(["junit.xml"]);
  });
});

describe("writing a file atomically", () => {
  it("follows a link, keeps permissions, and writes into a pipe", ON_POSIX, () => {
    writeFileSync(inside("real"), "before");
    chmodSync(inside("real"), 0o640);
    symlinkSync(inside("real"), inside("link"));
    writeAtomically(inside("link"), "after");
    expect(readFileSync(inside("real"), "utf8")).toBe("after");
    expect(statSync(inside("real")).mode & 0o777).toBe(0o640);

    spawnSync("mkfifo", [inside("pipe")]);
    const reader = openSync(inside("pipe"), constants.O_RDWR | constants.O_NONBLOCK);
    writeAtomically(inside("pipe"), "through");
    const bytes = Buffer.alloc(7);
    readSync(reader, bytes);
    closeSync(reader);
    expect(bytes.toString()).toBe("through");
    expect(statSync(inside("pipe")).isFIFO()).toBe(true);
  });

  it("does not replace a file that a shell has open for the output", ON_POSIX, () => {
    const output = inside("output");
    const descriptor = openSync(output, "a");
    const before = fstatSync(descriptor).ino;
    for (const name of ["/dev/stdout", "/dev/fd/1"]) {
      const code = `
        import { writeAtomically } from ${JSON.stringify(new URL("../../src/report/write_file.ts", import.meta.url).href)};
        writeAtomically(${JSON.stringify(name)}, "the report\\n");
        console.log("what follows");`;
      spawnSync(process.execPath, ["--no-warnings", "--input-type=module", "--eval", code], {
        stdio: ["ignore", descriptor, "inherit"],
      });
      expect(readFileSync(output, "utf8")).toBe("the report\nwhat follows\n");
      expect(statSync(output).ino).toBe(before);
    }
    closeSync(descriptor);
    expect(readdirSync(folder)).toEqual(["output"]);
  });
});
