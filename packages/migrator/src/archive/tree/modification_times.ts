import { spawn } from "node:child_process";
import { lstatSync, lutimesSync, utimesSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { Entry } from "./walk_tree.ts";

/** How many times are set by one run of the outside programs. */
const BATCH = 4096;

type Path = string | Buffer;

/**
 * Sets modification times to the nanosecond. Node takes seconds as a double, which is exact to about a quarter of a
 * microsecond; where that is not enough, `touch` does it, as many at a time as `xargs` can hand over. Where these programs
 * are missing or cannot do it, a time stays as near as Node could set it.
 */
export class ModificationTimes {
  #waiting: { path: Path; mtimeNs: bigint }[] = [];
  #inexact = 0;

  async set(path: Path, { kind, mtimeNs }: Pick<Entry, "kind" | "mtimeNs">): Promise<void> {
    // As text: of a number below zero, a time before 1970, Node makes the time of now.
    const seconds = String(Number(mtimeNs) / 1e9);
    if (kind === "link") lutimesSync(path, seconds, seconds);
    else utimesSync(path, seconds, seconds);
    if (timeOf(path) === mtimeNs) return;
    this.#waiting.push({ path, mtimeNs });
    if (this.#waiting.length === BATCH) await this.#touch();
  }

  /** To be called at the end. Returns how many times could not be set exactly. */
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

/** The years 0 to 9999, which a date with four digits can tell. */
const FIRST = BigInt(Date.UTC(2000, 0) - 2000 * 365.2425 * 86_400_000) * 1_000_000n;
const LAST = BigInt(Date.UTC(9999, 11, 31)) * 1_000_000n;

/** The form that POSIX gives to `touch -d`, in UTC. */
function dateOf(mtimeNs: bigint): string {
  const fraction = ((mtimeNs % SECOND) + SECOND) % SECOND;
  const date = new Date(Number((mtimeNs - fraction) / 1_000_000n)).toISOString();
  return `${date.slice(0, 19)}.${String(fraction).padStart(9, "0")}Z`;
}

/** Runs `touch` with three of the words at a time. What it could not do shows in the times. */
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
