import { type Call, changesBelow } from "./strace.ts";

/**
 * The process of a run that makes a call: 0 is perdura-migrate itself, 1 and up are the children that it starts, in
 * order.
 */
type ProcessNumber = number;

/** A system call of a run that changes the disk. */
export interface Point extends Pick<Call, "name" | "ordinal"> {
  process: ProcessNumber;
  /** From 1, among the calls of that name of that process that change the disk. The number of other calls varies. */
  number: number;
  /** Arguments of the call, for readers. */
  text: string;
}

/**
 * Finds the points of a run in its log. System programs that it starts (`touch`, for times to the nanosecond) are left
 * out: perdura cannot control what happens between two of their calls. So is the `fdatasync` of a thread, which only
 * starts the write-back of a copy: nothing depends on it, and the copying thread is stopped before and after.
 *
 * @throws Error if a thread of ours other than the main one changes the disk: the soak would miss it.
 */
export function pointsIn(calls: readonly Call[], directory: string): Point[] {
  const started = calls.filter(({ name }) => name === "execve");
  // The first thread of each program; others have no execve.
  const ours = started.filter(({ text }) => text.startsWith(`"${process.execPath}"`)).map(({ thread }) => thread);
  const others = new Set(started.map(({ thread }) => thread).filter((thread) => !ours.includes(thread)));
  const numbers = new Map<string, number>();
  return calls
    .filter((call) => changesBelow(directory, call) && !others.has(call.thread))
    .filter(({ thread, name }) => ours.includes(thread) || name !== "fdatasync")
    .map(({ thread, name, ordinal, text }) => {
      const number = ours.indexOf(thread);
      if (number === -1) throw new Error(`${name}(${text} comes from a thread that the soak cannot stop.`);
      const count = (numbers.get(`${number} ${name}`) ?? 0) + 1;
      numbers.set(`${number} ${name}`, count);
      return { process: number, name, number: count, ordinal, text: text.replaceAll(directory, "") };
    });
}

/**
 * Call of a point in a run of which only the calls with its name were logged; undefined if the run did not reach it.
 */
export function callAt({ number }: Point, calls: readonly Call[], directory: string): Call | undefined {
  return calls.filter((call) => changesBelow(directory, call))[number - 1];
}

/** Name of a point for `--point`: `program:pwrite64:17`, `child1:fsync:1`. */
export function nameOf({ process, name, number }: Pick<Point, "process" | "name" | "number">): string {
  return `${process === 0 ? "program" : `child${process}`}:${name}:${number}`;
}

/** True if a name equals the given one, or begins with it: `program:statx` selects all these calls of the program. */
export function matchesPoint(name: string, meant: string | undefined): boolean {
  return meant === undefined || name === meant || name.startsWith(`${meant}:`);
}

/** Some items of a list, evenly spread; `start` (0 to 1) shifts them. */
export function spread<Item>(items: readonly Item[], wanted: number, start: number): Item[] {
  const count = Math.min(wanted, items.length);
  return Array.from(
    { length: count },
    (_, index) => items[Math.floor(((index + start) * items.length) / count)] as Item,
  );
}

/** Start of {@link spread} for a seed: far apart for consecutive seeds. */
export function startOf(seed: number): number {
  return (seed * 0.618_033_988_749_895) % 1;
}
