import { spawn } from "node:child_process";

/** Set for the process that already has its own session. */
const APART = "PERDURA_SOAK_APART";

/**
 * Runs the work in its own session. A terminal sends Ctrl+C to all processes of its session: the programs that a soak
 * started would end in the middle of a trial and count as failures. So only the soak receives it and ends after the
 * current trial; at the second Ctrl+C everything is killed.
 *
 * @param work The work; its exit code becomes that of this process.
 */
export async function inOwnSession(work: () => Promise<number>): Promise<number> {
  if (process.env[APART] !== undefined || process.platform === "win32") return work();
  const { execArgv, execPath, argv, env } = process;
  const child = spawn(execPath, [...execArgv, ...argv.slice(1)], {
    env: { ...env, [APART]: "1" },
    stdio: "inherit",
    detached: true,
  });
  let signals = 0;
  const pass = (signal: NodeJS.Signals): void => {
    signals += 1;
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    if (signals === 1) child.kill(signal);
    else process.kill(-child.pid, "SIGKILL");
  };
  process.on("SIGINT", pass).on("SIGTERM", pass);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    // Killed: the exit code that a shell reports.
    child.once("exit", (code) => resolve(code ?? 137));
  });
}
