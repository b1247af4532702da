import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migratorCommand } from "../../../../test/programs.ts";
import { afterMiss } from "../system_calls/after_miss.ts";
import { type Ended, run } from "../system_calls/run_command.ts";
import { callAt, type Point } from "../system_calls/points.ts";
import { readCalls, spoiling } from "../system_calls/strace.ts";

/** Effect at a point. */
export type Fault =
  /** All processes of the run are killed before the call. */
  | "kill"
  /** The child that is about to make the call is killed; the program continues. */
  | "kill_child"
  /** The call fails. */
  | "error=EIO"
  | "error=ENOSPC"
  /** The call is made, and the program receives a signal. */
  | "signal=INT"
  | "signal=TERM";

/** Outcome of a run. */
export interface Ending extends Ended {
  /** Number of calls with the point's name up to the point; null if it was not reached. */
  ordinal: number | null;
}

/**
 * Replaces Node.js as the executable of children: one of them runs under strace. It exits if its directory was removed
 * after the run was cut off.
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

/**
 * Runs perdura-migrate with a fault in the call of the point's ordinal; `directory` holds its data and its temporary
 * files.
 */
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
    ? await run([...strace, "--", ...migratorCommand(...words)], environment(directory), afterMiss(directory, log))
    : await run(
        withImport(migratorCommand(...words)),
        aroundChild(directory, strace, point.process),
        fault === "kill" ? () => /SIGSTOP/.test(textOf(log)) : afterMiss(directory, log),
      );
  const calls = readCalls(textOf(log));
  rmSync(log, { force: true });
  return { ...ended, ordinal: callAt(point, calls, directory)?.ordinal ?? null };
}

/**
 * A child that is to be killed together with all others is stopped until they are dead: the program would notice its
 * death and clean up.
 */
function injectionFor(fault: Fault, program: boolean): string {
  if (fault === "kill") return program ? "signal=KILL" : "signal=STOP";
  return fault === "kill_child" ? "signal=KILL" : fault;
}

function textOf(log: string): string {
  return existsSync(log) ? readFileSync(log, "utf8") : "";
}

/** Puts temporary files where they can be inspected. Without a compile cache every run makes the same system calls. */
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
