/**
 * Preloaded into a program: interrupts it (SIGINT) at a moment that `PERDURA_TEST_INTERRUPT` names:
 *
 * - `listener N`: when it adds its N-th listener for SIGINT;
 * - `start N NAME`: when it starts a program NAME for the N-th time, which the interruption ends first, as Ctrl-C on a terminal can, since it reaches the whole group.
 */
import { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";

const [what, number, program = ""] = (process.env["PERDURA_TEST_INTERRUPT"] ?? "").split(" ");
let counted = 0;

const interrupt = (): void => void process.kill(process.pid, "SIGINT");

if (what === "listener") {
  process.on("newListener", (name) => {
    if (name !== "SIGINT") return;
    counted += 1;
    if (counted !== Number(number)) return;
    // The first listener is not yet added, and until then a signal kills.
    if (counted === 1) queueMicrotask(interrupt);
    else interrupt();
  });
}

if (what === "start") {
  const prototype = ChildProcess.prototype as unknown as { spawn: (options: { file: string }) => number };
  const spawn = prototype.spawn;
  prototype.spawn = function (this: ChildProcess, options) {
    const error = spawn.call(this, options);
    if (options.file.endsWith(program)) counted += 1;
    if (!options.file.endsWith(program) || counted !== Number(number)) return error;
    this.kill("SIGINT");
    while (!isDead(this.pid as number));
    interrupt();
    return error;
  };
}

/** True for a zombie: its parent has not reaped it yet. */
function isDead(pid: number): boolean {
  return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
}
