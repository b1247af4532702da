import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { MemoryWatch } from "./memory_watch.ts";

const PACKAGE = fileURLToPath(new URL("../../../packages/migrator/", import.meta.url));
/** Beside the published build, which others may be using. */
const BUILT = "node_modules/.cache/bench";

let built: string | undefined;

/** Builds perdura-migrate as it is published, once: from its sources a program starts slower and takes more memory. */
export function builtProgram(): string {
  return (built ??= build());
}

function build(): string {
  const tsdown = fileURLToPath(new URL("../../../node_modules/tsdown/dist/run.mjs", import.meta.url));
  const words = [tsdown, "--logLevel", "error", "--out-dir", BUILT];
  const { status } = spawnSync(process.execPath, words, { cwd: PACKAGE, stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error("perdura-migrate could not be built.");
  return `${PACKAGE}${BUILT}/cli.js`;
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
