import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as backup from "@perdura/backup";
import * as inspect from "@perdura/inspect";
import * as mcp from "@perdura/mcp";
import * as migrator from "@perdura/migrator";
import * as otel from "@perdura/otel";
import * as postgres from "@perdura/postgres";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { run } from "../../dev/soak/src/system_calls/run_command.ts";
import { temporaryFolder } from "../temporary_folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A piece of code from a page or a docstring. */
export interface Example {
  /** Its place, for the name of a test. */
  place: string;
  code: string;
}

/** Output of an example, and the output that its comments state. */
export interface Outcome {
  printed: string[];
  promised: string[];
}

/** The packages whose names an example may use without importing them. */
const PACKAGES = { v15, v16, migrator, postgres, backup, inspect, mcp, otel };
export type ExamplePackage = keyof typeof PACKAGES;

/** An example with its requirements. */
export interface PreparedExample extends Pick<Example, "code"> {
  /** `perdura/…` resolves to the line that has this module; names that the example does not import come from here. */
  line: ExamplePackage;
  /** Creates the files that the example uses; otherwise the directory is empty. */
  prepare?: ((directory: string) => void) | undefined;
}

/** Input of the program that runs examples. */
export interface Script {
  script: string;
  directory: string;
}

/** Result of each script. */
export interface Ending {
  error?: string;
}

const HOST = join(root, "test", "repository", "programs", "example_host.ts");

/** Runs one example: {@link runExamples}. */
export async function runExample(
  code: string,
  line: ExamplePackage,
  prepare?: (directory: string) => void,
): Promise<Outcome> {
  return outcomeOf((await runExamples([{ code, line, prepare }]))[0]);
}

/** @throws Error if the example failed. */
export function outcomeOf(outcome: Outcome | Error | undefined): Outcome {
  if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error("the example was not found");
  return outcome;
}

/**
 * Runs examples on the sources, each in a separate directory and all in one process, which must end on its own: anything
 * that an example leaves open would keep it running.
 *
 * @param environment Variables in addition to our own.
 * @returns The output of each example, or its error.
 */
export async function runExamples(
  examples: readonly PreparedExample[],
  environment: Record<string, string> = {},
): Promise<(Outcome | Error)[]> {
  const place = temporaryFolder();
  const id = randomBytes(8).toString("hex");
  // Next to this file, so that they resolve the workspace's packages.
  const scripts = examples.map((_, index) => join(root, "test", "repository", `.example-${id}-${index}.ts`));
  try {
    const list = examples.map(({ code, line, prepare }, index): Script => {
      const [script, directory] = [scripts[index] as string, join(place, `example-${index}`)];
      mkdirSync(directory);
      prepare?.(directory);
      writeFileSync(script, `${missingImports(code, line)}\n${resolveLines(code, line)}`);
      return { script, directory };
    });
    writeFileSync(join(place, "list.json"), JSON.stringify(list));
    const {
      code: status,
      stdout,
      stderr,
    } = await run(
      [process.execPath, "--conditions=@perdura/source", "--no-warnings", HOST, id, join(place, "list.json")],
      { ...process.env, ...environment },
    );
    const ending = status === null ? "it was killed" : `it exited with status ${status}`;
    const parts = stdout.split(new RegExp(`^${id}(.*)\\n`, "m"));
    return examples.map(({ code }, index) => {
      const [printed = "", said] = [parts[index * 2], parts[index * 2 + 1]];
      const { error }: Ending = said === undefined ? { error: `${ending}\n${stderr}` } : (JSON.parse(said) as Ending);
      if (error !== undefined) return new Error(`The example failed:\n${code}\n${error}`);
      if (status !== 0) return new Error(`The program that ran the examples: ${ending}\n${stderr}`);
      return { printed: printed.split("\n").filter((line) => line !== ""), promised: promisedLines(code) };
    });
  } finally {
    for (const script of scripts) rmSync(script, { force: true });
    rmSync(place, { recursive: true, force: true });
  }
}

function resolveLines(code: string, line: ExamplePackage): string {
  return code
    .replaceAll(/from "perdura\/persistence"/g, 'from "@perdura/v15/persistence"')
    .replaceAll(/from "perdura\/(\w+)"/g, 'from "@perdura/v16/$1"')
    .replaceAll(/from "perdura"/g, `from "@perdura/${LINE_OF[line] ?? line}"`);
}

/** The line whose names an example of a package may use as well. */
const LINE_OF: { [Package in ExamplePackage]?: ExamplePackage } = { postgres: "v16", otel: "v16" };

function missingImports(code: string, line: ExamplePackage): string {
  const other = LINE_OF[line];
  return importsFrom(code, line) + (other === undefined ? "" : importsFrom(code, other));
}

function importsFrom(code: string, line: ExamplePackage): string {
  const names = Object.keys(PACKAGES[line]).filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  const missing = names.filter((name) => !new RegExp(`import [^;]*\\b${name}\\b[^;]*;`).test(code));
  return missing.length === 0 ? "" : `import { ${missing.join(", ")} } from "@perdura/${line}";`;
}

/** Lines that `console.log(…); // text` states as output. */
export function promisedLines(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\);? *\/\/ (.*)$/gm)].map((match) => match[1] as string);
}

/** The blocks of a Markdown page in a language. */
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
