import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Side } from "../measure/measure.ts";

const place = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Programs that load or save a library, and print its duration in milliseconds, without their own start, and their peak
 * memory in kilobytes.
 */
const PROGRAMS: Record<"perdura" | "Python 3", readonly [string, ...string[]]> = {
  perdura: [process.execPath, "--conditions=@perdura/source", place("./child.ts")],
  "Python 3": ["python3", place("../peers/python_library.py")],
};

/** One side of a comparison, with a process for each round, so that its memory can be measured. */
export function programSide(name: keyof typeof PROGRAMS, ...parameters: string[]): Side {
  let most = 0;
  return {
    name,
    round: () => {
      const [command, ...given] = PROGRAMS[name];
      const { status, stdout } = spawnSync(command, [...given, ...parameters], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
      });
      if (status !== 0) throw new Error(`${name} ended with ${String(status)}.`);
      const [milliseconds = Number.NaN, kilobytes = 0] = stdout.split(" ").map(Number);
      most = Math.max(most, kilobytes / 1000);
      return { milliseconds };
    },
    memory: () => most,
  };
}
