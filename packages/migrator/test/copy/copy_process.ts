import { type ChildProcess, spawn } from "node:child_process";
import { onTestFinished } from "vitest";
import { programWords } from "../../../../test/programs.ts";

const CLI = programWords(new URL("../../src/cli.ts", import.meta.url));

/** Outcome of a copy, with its output. */
export interface EndedCopy {
  code: number | string | null;
  stdout: string;
  stderr: string;
}

/** A copy in a separate process. */
export interface RunningCopy {
  child: ChildProcess;
  ended: Promise<EndedCopy>;
  /** Waits until the output contains this; if the process ends before, an error shows its output. */
  says(what: string | RegExp): Promise<void>;
}

/**
 * Starts `perdura-migrate copy` from the sources: the packages for PostgreSQL are not built. It is killed with its
 * test.
 */
export function startCopy(...words: string[]): RunningCopy {
  const command = [...CLI, "copy", ...words];
  const child = spawn(process.execPath, command, { env: { ...process.env, NO_COLOR: "1" } });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].on("data", (data: Buffer) => {
      said[stream] += data.toString();
      child.emit("said");
    });
  const ended = new Promise<EndedCopy>((resolve) => {
    child.on("close", (code, signal) => resolve({ code: code ?? signal, ...said }));
  });
  const says = (what: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if ((said.stdout + said.stderr).search(what) >= 0) resolve();
      };
      child.on("said", look);
      child.on("close", () => reject(new Error(`it ended without ${String(what)}: ${said.stdout}${said.stderr}`)));
      look();
    });
  return { child, ended, says };
}
