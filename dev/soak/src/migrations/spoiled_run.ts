import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandLine } from "../../../../packages/migrator/test/support/program.ts";
import { afterMiss } from "../system_calls/after_miss.ts";
import { type Ended, run } from "../system_calls/run_command.ts";
import { callAt, type Point } from "../system_calls/points.ts";
import { readCalls, spoiling } from "../system_calls/strace.ts";

/** What happens at a point. */
export type Fault =
  /** All processes of the run are killed before the call. */
  | "kill"
  /** The child that is about to make the call is killed; the program goes on. */
  | "kill_child"
  /** The call fails. */
  | "error=EIO"
  | "error=ENOSPC"
  /** The call is made, and somebody wants the run to end. */
  | "signal=INT"
  | "signal=TERM";

/** How a run ended. */
export interface Ending extends Ended {
  /** How many calls of the name of the point the run had made when it came there; null when it did not. */
  ordinal: number | null;
}

/**
 * Stands for Node.js when a child is started: one of them runs under strace. Where its directory was removed, since the
 * run was cut off, it ends.
 */
export const CHILD = `#!/bin/sh
number=1
until mkdir "$0.$number" 2>/dev/null; do
  [ -d "$0.$number" ] || exit 1
  number=$((number + 1))
done
if [ "$number" != "$PERDURA_SOAK_NUMBER" ]; then exec "$PERDURA_SOAK_NODE" "$@"; fi
exec $PERDURA_SOAK_STRACE -D -- "$PERDURA_SOAK_NODE" "$@"
`;

/** Runs perdura-migrate with the call spoiled whose ordinal the point has; `directory` is what it works on and writes its temporary files in. */
export async function runSpoiled(
  directory: string,
  words: readonly string[],
  point: Point,
  fault: Fault,
  log: string,
): Promise<Ending> {
  const program = point.process === 0;
  const strace = spoiling(log, point, injectionFor(fault, program));
  const ended = program
    ? await run([...strace, "--", ...commandLine(...words)], environment(directory), afterMiss(directory, log))
    : await run(
        withImport(commandLine(...words)),
        aroundChild(directory, strace, point.process),
        fault === "kill" ? () => /SIGSTOP/.test(textOf(log)) : afterMiss(directory, log),
      );
  const calls = readCalls(textOf(log));
  rmSync(log, { force: true });
  return { ...ended, ordinal: callAt(point, calls, directory)?.ordinal ?? null };
}

/** Where a child is to die with all the others, it stands still until they are dead: they would see it, and clean up. */
function injectionFor(fault: Fault, program: boolean): string {
  if (fault === "kill") return program ? "signal=KILL" : "signal=STOP";
  return fault === "kill_child" ? "signal=KILL" : fault;
}

function textOf(log: string): string {
  return existsSync(log) ? readFileSync(log, "utf8") : "";
}

/** Temporary files go where they can be looked at. Without a compile cache every run makes the same system calls. */
export function environment(directory: string): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE: _shared, ...others } = process.env;
  return { ...others, NO_COLOR: "1", TMPDIR: join(directory, "tmp") };
}

function aroundChild(directory: string, strace: readonly string[], number: number): NodeJS.ProcessEnv {
  const script = join(directory, "child.sh");
  writeFileSync(script, CHILD, { mode: 0o755 });
  return {
    ...environment(directory),
    PERDURA_SOAK_CHILD: script,
    PERDURA_SOAK_NUMBER: String(number),
    PERDURA_SOAK_NODE: process.execPath,
    PERDURA_SOAK_STRACE: strace.join(" "),
  };
}

function withImport([node, ...words]: readonly string[]): string[] {
  return [
    node as string,
    "--import",
    fileURLToPath(new URL("../system_calls/children_from.mjs", import.meta.url)),
    ...words,
  ];
}
