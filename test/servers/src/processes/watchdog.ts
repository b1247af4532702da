import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";

/** Resource that the watchdog ends or removes. */
export type Held = { process: number } | { directory: string };

/** A line for the watchdog. */
export type Order = { hold: Held } | { release: Held };

const PROGRAM = fileURLToPath(new URL("watchdog_program.ts", import.meta.url));

let pipe: Socket | undefined;

/**
 * Lets the watchdog end this process, or remove this directory, when our own process ends in any way: no handler of
 * ours runs when a test run is killed, but the pipe to the watchdog breaks.
 */
export function hold(held: Held): void {
  order({ hold: held });
}

/** Lets the watchdog forget the resource. */
export function release(held: Held): void {
  order({ release: held });
}

function order(line: Order): void {
  pipe ??= startWatchdog();
  if (!pipe.writable)
    throw new Error("the watchdog of the servers has ended, so a killed test run would leave them running");
  pipe.write(`${JSON.stringify(line)}\n`);
}

/** One for this process; detached, so that a signal to the whole group, such as by Ctrl+C, does not reach it. */
function startWatchdog(): Socket {
  const child = spawn(process.execPath, ["--no-warnings", PROGRAM], {
    cwd: "/",
    detached: true,
    env: { ...process.env, NODE_OPTIONS: "" },
    stdio: ["pipe", "ignore", "ignore"],
    windowsHide: true,
  });
  const stdin = child.stdin as Socket;
  // The next order reports the failure; after the last order, an error does not matter.
  child.on("error", () => stdin.destroy());
  child.on("exit", () => stdin.destroy());
  stdin.on("error", () => stdin.destroy());
  child.unref();
  stdin.unref();
  return stdin;
}
