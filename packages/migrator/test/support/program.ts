import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { PATIENCE_MS } from "../../../../test/patience.ts";
import { migratorProgram, programWords } from "../../../../test/programs.ts";

/** Runs perdura-migrate in a separate process, while this process is blocked. */
export function runProcess(...words: string[]): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [migratorProgram(), ...words], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
    // A program that hangs fails its test, and does not delay the others.
    timeout: PATIENCE_MS,
  });
  return { code: status, stdout, stderr };
}

/** Starts perdura-migrate; its output goes through pipes. */
export function startCli(...words: string[]): ChildProcess {
  return spawn(process.execPath, [migratorProgram(), ...words], { stdio: ["ignore", "pipe", "pipe"] });
}

/** Words after `node` that run a program of the folder `programs`. */
const programNamed = (name: string): string[] => programWords(new URL(`../programs/${name}`, import.meta.url));

/** Starts a program of the folder `programs`; it is controlled by arguments and reports on stdout. */
export function startProgram(name: string, ...words: string[]): ChildProcess {
  return spawn(process.execPath, [...programNamed(name), ...words], {
    stdio: ["pipe", "pipe", "inherit"],
  });
}

/** Runs a program of the folder `programs` while this process is blocked; returns its output. */
export function runBeside(name: string, ...words: string[]): string {
  return spawnSync(process.execPath, [...programNamed(name), ...words], {
    encoding: "utf8",
  }).stdout;
}

/** Waits until a process has ended; returns its exit code or the signal that ended it. */
export function endOf(child: ChildProcess): Promise<number | string | null> {
  return new Promise((resolve) => child.on("close", (code, signal) => resolve(signal ?? code)));
}

/** Waits for the first line that a process prints. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once("data", (data: Buffer) => resolve(data.toString().trim()));
    child.once("close", () => reject(new Error("the process ended before it printed a line")));
  });
}

/** Runs a program of the folder `programs` and waits until it has ended, while others may run. */
export function endWithOutput(
  name: string,
  ...words: string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const command = [...programNamed(name), ...words];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, { maxBuffer: 1 << 26 }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}
