import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { blocks, comparable, exampleFolder, expectShown, runCommands } from "./example_page.ts";
import { PYTHON_MINOR } from "../python.ts";
import { freshFolder } from "../fresh_folder.ts";
import { needs } from "../needs.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A copy of an example in a bare folder, with the dependencies of its package.json installed. */
function installed(example: string, line: string): string {
  const place = freshFolder();
  for (const part of ["package.json", "tsconfig.json", "src"])
    cpSync(join(exampleFolder(example), part), join(place, part), { recursive: true });
  for (const part of ["package.json", "dist"])
    cpSync(join(ROOT, "packages", line, part), join(place, "node_modules/perdura", part), { recursive: true });
  const links = {
    "better-sqlite3": join(ROOT, "packages", line, "node_modules/better-sqlite3"),
    "@types/node": join(ROOT, "node_modules/@types/node"),
    typescript: join(ROOT, "node_modules/typescript"),
    ".bin/tsc": join(ROOT, "node_modules/typescript/bin/tsc"),
  };
  for (const [name, target] of Object.entries(links)) {
    const link = join(place, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(realpathSync(target), link);
  }
  return place;
}

describe.each([
  ["typescript-16", "v16"],
  ["typescript-15", "v15"],
])("the example %s", (example, line) => {
  test("compiles, and prints what its page shows on the first and the second run", () => {
    const place = installed(example, line);
    const shown = blocks(example, "text");
    expect(shown).toHaveLength(2);
    for (const output of shown)
      expect(runCommands("npm --silent start", place)).toMatchObject({ status: 0, stdout: output });
    expect(readdirSync(join(place, "data"))).toEqual(expect.arrayContaining(["metrics.db", "patterns.db"]));
    const copy = JSON.parse(readFileSync(join(place, "data/patterns.json"), "utf8")) as { patterns: object[] };
    expect(copy.patterns).toHaveLength(1);
  });

  test("depends on the line that it shows", () => {
    const manifest = JSON.parse(readFileSync(join(exampleFolder(example), "package.json"), "utf8")) as object;
    const { version } = JSON.parse(readFileSync(join(ROOT, "packages", line, "package.json"), "utf8")) as {
      version: string;
    };
    expect(manifest).toMatchObject({ dependencies: { perdura: `^${version.split(".")[0]}.0.0` } });
    expect(blocks(example, "sh")).toEqual(["npm install\nnpm start\n"]);
  });
});

describe("the example repair", needs("python", PYTHON_MINOR === undefined), () => {
  test("finds each mistake and repairs it, and says what its page shows", async () => {
    const place = freshFolder();
    cpSync(exampleFolder("repair"), place, { recursive: true });
    const said = blocks("repair", "sh").map((command) => runCommands(command, place));
    expect(said.map(({ stderr }) => stderr).join("")).toBe("");
    const reports = said.map(({ stdout }) => comparable(stdout));
    await expectShown("repair", reports);
    expect(reports.at(-1)).toMatch(/^conformant /m);
  });
});

describe("the example python", needs("python", PYTHON_MINOR === undefined), () => {
  const [command = ""] = blocks("python", "sh");

  test("produces the report that its page shows", async () => {
    const { status, stdout } = runCommands(command, exampleFolder("python"));
    await expectShown("python", [comparable(stdout)]);
    expect(status).toBe(0);
  });

  test("has at most 150 lines", () => {
    const lines = ["adapter.py", "pattern_files.py"].map(
      (file) => readFileSync(join(exampleFolder("python"), file), "utf8").split("\n").length - 1,
    );
    expect(lines.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(150);
  });
});
