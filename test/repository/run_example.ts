import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as backup from "@perdura/backup";
import * as migrator from "@perdura/migrator";
import * as postgres from "@perdura/postgres";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A piece of code from a page or a docstring. */
export interface Example {
  /** Where it stands, for the test's name. */
  place: string;
  code: string;
}

/** What an example printed, and what its comments say that it prints. */
export interface Outcome {
  printed: string[];
  promised: string[];
}

/** The packages whose names an example may use without importing them. */
const PACKAGES = { v15, v16, migrator, postgres, backup };
export type ExamplePackage = keyof typeof PACKAGES;

/**
 * Runs an example in a directory and a process of its own, on the sources. `perdura/…` leads to the line that has such a
 * module; names that the example does not import come from `line`.
 *
 * @param prepare Fills the directory with what the example is about; otherwise it is empty.
 * @param environment Variables beside our own.
 */
export function runExample(
  code: string,
  line: ExamplePackage,
  prepare?: (directory: string) => void,
  environment: Record<string, string> = {},
): Outcome {
  const directory = mkdtempSync(join(tmpdir(), "perdura-example-"));
  prepare?.(directory);
  // Beside this file, so that the workspace's packages are found from there.
  const script = join(root, "test", "repository", `.example-${process.pid}-${Math.random().toString(36).slice(2)}.ts`);
  try {
    writeFileSync(script, `${missingImports(code, line)}\n${resolveLines(code, line)}`);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--conditions=@perdura/source", "--no-warnings", script],
      {
        cwd: directory,
        encoding: "utf8",
        env: { ...process.env, ...environment },
      },
    );
    if (status !== 0) throw new Error(`The example failed:\n${code}\n${stderr}`);
    return { printed: stdout.split("\n").filter((text) => text !== ""), promised: promisedLines(code) };
  } finally {
    rmSync(script, { force: true });
    rmSync(directory, { recursive: true, force: true });
  }
}

function resolveLines(code: string, line: ExamplePackage): string {
  return code
    .replaceAll(/from "perdura\/persistence"/g, 'from "@perdura/v15/persistence"')
    .replaceAll(/from "perdura\/(\w+)"/g, 'from "@perdura/v16/$1"')
    .replaceAll(/from "perdura"/g, `from "@perdura/${LINE_OF[line] ?? line}"`);
}

/** The line whose names an example of a package may use as well. */
const LINE_OF: { [Package in ExamplePackage]?: ExamplePackage } = { postgres: "v16" };

function missingImports(code: string, line: ExamplePackage): string {
  const other = LINE_OF[line];
  return importsFrom(code, line) + (other === undefined ? "" : importsFrom(code, other));
}

function importsFrom(code: string, line: ExamplePackage): string {
  const names = Object.keys(PACKAGES[line]).filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  const missing = names.filter((name) => !new RegExp(`import [^;]*\\b${name}\\b[^;]*;`).test(code));
  return missing.length === 0 ? "" : `import { ${missing.join(", ")} } from "@perdura/${line}";`;
}

/** `console.log(…); // text` promises a line. */
export function promisedLines(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\);? *\/\/ (.*)$/gm)].map((match) => match[1] as string);
}

/** The blocks of a Markdown page that are in a language. */
export function examplesOfPage(path: string, language: "ts" | "js" | "python" = "ts"): Example[] {
  const page = readFileSync(join(root, path), "utf8");
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map((match, index) => ({
    place: `${path}, example ${index + 1}`,
    code: match[1] as string,
  }));
}

/** The `@example` blocks of the docstrings below a folder. */
export function examplesOfSources(folder: string): Example[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => {
      const source = readFileSync(join(root, folder, name), "utf8");
      return [...source.matchAll(/@example\n *\* ```ts\n(.*?) *\* ```/gs)].map((match, index) => ({
        place: `${folder}/${name}, example ${index + 1}`,
        code: (match[1] as string).replaceAll(/^ *\* ?/gm, ""),
      }));
    });
}
