import { spawn } from "node:child_process";

/** Set for the process that is apart already. */
const APART = "PERDURA_SOAK_APART";

/**
 * Does the work in a session of its own. A terminal sends Ctrl+C to all processes of its own one: what a soak has
 * started would end in the middle of a trial, and be taken for wrong. So only the soak hears of it, which ends after the
 * trial that it is at; the second time everything is killed.
 *
 * @param work What to do there; its exit code is that of this process.
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
    // Killed: as a shell would say.
    child.once("exit", (code) => resolve(code ?? 137));
  });
}
