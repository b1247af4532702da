import { spawn } from "node:child_process";
import { buildMigrator } from "../../../tools/build_migrator.ts";
import { MemoryWatch } from "../run/memory_watch.ts";

let built: string | undefined;

/** The program of perdura-migrate as it is published, built with the first call. */
export function builtProgram(): string {
  if (built === undefined) {
    const { program, remove } = buildMigrator();
    process.on("exit", remove);
    built = program;
  }
  return built;
}

/** What one run of the program took. */
export interface ProgramRun {
  /** From the start of the process to its end, in milliseconds. */
  whole: number;
  /** From just before the lock is taken to the end of the process; the whole where nothing is locked. */
  locked: number;
  memory: MemoryWatch;
}

/** Runs `perdura-migrate up` on a file or directory. */
export async function migrateByProgram(program: string, path: string): Promise<ProgramRun> {
  const start = performance.now();
  let lockedAt: number | undefined;
  const child = spawn(process.execPath, [program, "up", "--json", "--yes", path], {
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
  if (code !== 0) throw new Error(`perdura-migrate ended with ${String(code)}: ${told}`);
  const end = performance.now();
  return { whole: end - start, locked: end - (lockedAt ?? start), memory };
}
