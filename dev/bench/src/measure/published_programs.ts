import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
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
  /** From the start of the process to the first event of each stage that it reported, in milliseconds. */
  stages: ReadonlyMap<string, number>;
  memory: MemoryWatch;
}

/** The time of a run that a row is about, in milliseconds. */
export type PartOfRun = (run: ProgramRun) => number;

export const WHOLE: PartOfRun = ({ whole }) => whole;

/** From just before the lock to the end of the process; the whole duration if nothing is locked. */
export const FROM_LOCK: PartOfRun = ({ whole, stages }) => whole - (stages.get("lock") ?? 0);

/** From the first row that is copied until all are committed. */
export const ROWS: PartOfRun = ({ stages }) => (stages.get("verify") as number) - (stages.get("copy") as number);

/**
 * Runs `perdura-migrate up` on a file or directory until the data are migrated. The sums for statistics, which it computes
 * then, while others continue, exist in no peer.
 */
export function migrateByProgram(program: string, path: string): Promise<ProgramRun> {
  return runProgram(program, ["up", "--json", "--yes", path], "sums");
}

/** Runs `perdura-migrate down` on a file. */
export function downgradeByProgram(program: string, path: string): Promise<ProgramRun> {
  return runProgram(program, ["down", "--json", "--yes", path]);
}

/** Runs `perdura-migrate verify` on a file. */
export function verifyByProgram(program: string, path: string): Promise<ProgramRun> {
  return runProgram(program, ["verify", "--json", path]);
}

/** Runs `perdura-inspect` on a file or directory, and writes its page. */
export function inspectByProgram(program: string, path: string, page: string): Promise<ProgramRun> {
  return runProgram(program, ["--html", page, path]);
}

/** Runs `perdura-migrate copy` into a schema of PostgreSQL. */
export function copyByProgram(program: string, path: string, address: string, schema: string): Promise<ProgramRun> {
  return runProgram(program, ["copy", "--json", "--schema", schema, path, address]);
}

/** @param last The stage at which the program is ended. */
async function runProgram(program: string, words: readonly string[], last?: string): Promise<ProgramRun> {
  const start = performance.now();
  const stages = new Map<string, number>();
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const memory = new MemoryWatch(child.pid as number);
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    lines.push(line);
    const stage = /"stage":"(\w+)"/.exec(line)?.[1];
    if (stage === undefined || stages.has(stage)) return;
    stages.set(stage, performance.now() - start);
    if (stage === last) child.kill("SIGKILL");
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  const whole = (last === undefined ? undefined : stages.get(last)) ?? performance.now() - start;
  memory.close();
  if (code !== 0 && !(last !== undefined && stages.has(last)))
    throw new Error(`${program} ended with ${String(code)}: ${lines.join("\n")}`);
  return { whole, stages, memory };
}
