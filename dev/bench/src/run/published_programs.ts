import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { buildProgram } from "../../../tools/build_program.ts";
import { buildBeside } from "../../../tools/build_beside.ts";
import { MemoryWatch } from "./memory_watch.ts";

/** Folders of the packages, by the names of their programs. */
const FOLDERS = {
  "perdura-migrate": "migrator",
  "perdura-inspect": "inspect",
  "perdura-backup": "backup",
  "perdura-conformance": "conformance",
} as const;

export type BuiltProgram = keyof typeof FOLDERS;

const built = new Map<string, string>();

/** The published form of a package, built at the first call: the path that its program has, or would have. */
function builtFrom(folder: string): string {
  const before = built.get(folder);
  if (before !== undefined) return before;
  const { program, remove } = buildProgram(folder, `perdura-${folder}`);
  process.on("exit", remove);
  // Without a handler, a signal would leave the program there.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  built.set(folder, program);
  return program;
}

/** The published form of a program. */
export function builtProgram(name: BuiltProgram): string {
  return builtFrom(FOLDERS[name]);
}

/** The main module of the published form of a line. */
export function builtLibrary(line: "v15" | "v16"): string {
  return join(dirname(builtFrom(line)), "index.js");
}

/** The same program with the published form of the package that it needs for PostgreSQL. */
export function builtMigrateForPostgres(): string {
  const program = builtProgram("perdura-migrate");
  buildBeside(program, "postgres");
  return program;
}

/** The published program perdura-inspect with the published form of the package that finds and reads its data. */
export function builtInspect(): string {
  const program = builtProgram("perdura-inspect");
  buildBeside(program, "migrator");
  return program;
}

/** Duration and memory of one run of the program. */
export interface ProgramRun {
  /** From the start of the process to its end, in milliseconds. */
  whole: number;
  /** From just before the lock to the end of the process; the whole duration if nothing is locked. */
  locked: number;
  memory: MemoryWatch;
}

/** Runs `perdura-migrate up` on a file or directory. */
export function migrateByProgram(program: string, path: string): Promise<ProgramRun> {
  return runProgram(program, ["up", "--json", "--yes", path]);
}

/** Runs `perdura-inspect` on a file or directory, and writes its page. */
export function inspectByProgram(program: string, path: string, page: string): Promise<ProgramRun> {
  return runProgram(program, ["--html", page, path]);
}

/** Runs `perdura-migrate copy` into a schema of PostgreSQL. */
export function copyByProgram(program: string, path: string, address: string, schema: string): Promise<ProgramRun> {
  return runProgram(program, ["copy", "--json", "--schema", schema, path, address]);
}

async function runProgram(program: string, words: readonly string[]): Promise<ProgramRun> {
  const start = performance.now();
  let lockedAt: number | undefined;
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const memory = new MemoryWatch(child.pid as number);
  let told = "";
  child.stderr.on("data", (data: Buffer) => {
    told += data.toString();
    if (lockedAt === undefined && told.includes('"stage":"lock"')) lockedAt = performance.now();
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  memory.close();
  if (code !== 0) throw new Error(`${program} ended with ${String(code)}: ${told}`);
  const end = performance.now();
  return { whole: end - start, locked: end - (lockedAt ?? start), memory };
}
