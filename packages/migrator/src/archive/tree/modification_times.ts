import { spawn } from "node:child_process";
import { lstatSync, lutimesSync, utimesSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { Entry } from "./walk_tree.ts";

/** Number of times that one run of the external programs sets. */
const BATCH = 4096;

type Path = string | Buffer;

/**
 * Sets modification times to the nanosecond. Node takes seconds as a double, which is exact to about a quarter of a
 * microsecond; for the other times, `xargs` runs `touch` in batches. If these programs are missing or fail, a time
 * stays as exact as Node could set it.
 */
export class ModificationTimes {
  #waiting: { path: Path; mtimeNs: bigint }[] = [];
  #inexact = 0;

  async set(path: Path, { kind, mtimeNs }: Pick<Entry, "kind" | "mtimeNs">): Promise<void> {
    // As text: for a negative number, a time before 1970, Node sets the current time.
    const seconds = String(Number(mtimeNs) / 1e9);
    if (kind === "link") lutimesSync(path, seconds, seconds);
    else utimesSync(path, seconds, seconds);
    if (timeOf(path) === mtimeNs) return;
    this.#waiting.push({ path, mtimeNs });
    if (this.#waiting.length === BATCH) await this.#touch();
  }

  /** Finishes pending work; to be called at the end. Returns the number of times that could not be set exactly. */
  async settle(): Promise<number> {
    await this.#touch();
    return this.#inexact;
  }

  async #touch(): Promise<void> {
    const batch = this.#waiting.splice(0);
    const possible = batch.filter(({ mtimeNs }) => mtimeNs >= FIRST && mtimeNs < LAST);
    if (possible.length > 0) await touchAll(possible.flatMap(({ path, mtimeNs }) => ["-hmd", dateOf(mtimeNs), path]));
    this.#inexact += batch.filter(({ path, mtimeNs }) => timeOf(path) !== mtimeNs).length;
  }
}

function timeOf(path: Path): bigint {
  return lstatSync(path, { bigint: true }).mtimeNs;
}

const SECOND = 1_000_000_000n;

/** The years 0 to 9999, which fit a date with four digits. */
const FIRST = BigInt(Date.UTC(2000, 0) - 2000 * 365.2425 * 86_400_000) * 1_000_000n;
const LAST = BigInt(Date.UTC(9999, 11, 31)) * 1_000_000n;

/** Formats a date for `touch -d` as POSIX defines it, in UTC. */
function dateOf(mtimeNs: bigint): string {
  const fraction = ((mtimeNs % SECOND) + SECOND) % SECOND;
  const date = new Date(Number((mtimeNs - fraction) / 1_000_000n)).toISOString();
  return `${date.slice(0, 19)}.${String(fraction).padStart(9, "0")}Z`;
}

/** Runs `touch` with three arguments at a time. The caller detects failures by reading the times. */
function touchAll(words: readonly Path[]): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn("xargs", ["-0", "-n", "3", "-P", String(availableParallelism()), "touch"], {
      stdio: ["pipe", "ignore", "ignore"],
      env: { ...process.env, LC_ALL: "C" },
    });
    child.on("error", () => resolve());
    child.on("close", () => resolve());
    child.stdin.on("error", () => undefined);
    child.stdin.end(Buffer.concat(words.flatMap((word) => [Buffer.from(word as string), Buffer.of(0)])));
  });
}
