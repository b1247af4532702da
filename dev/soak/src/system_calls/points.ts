import { type Call, changesBelow } from "./strace.ts";

/** Which process of a run makes a call: 0 is perdura-migrate itself, 1 and up are the children that it starts, in order. */
type ProcessNumber = number;

/** A system call of a run that changes the disk. */
export interface Point extends Pick<Call, "name" | "ordinal"> {
  process: ProcessNumber;
  /** From 1, among the calls of that name of that process that change the disk. Others come and go. */
  number: number;
  /** What the call is about, for people. */
  text: string;
}

/**
 * Finds the points of a run in its log. Programs of the system that it starts (`touch`, for times to the nanosecond) are
 * left out: nobody but they can be stopped between two of their calls. So is the `fdatasync` of a thread, by which the disk
 * begins to write what is being copied: nothing rests on it, and the thread that copies is stopped before and after.
 *
 * @throws Error when a thread of ours changes the disk that is not the main one: the soak would be blind there.
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
      if (number === -1)
        throw new Error(`${name}(${text} is made by a thread that the soak does not know how to stop.`);
      const count = (numbers.get(`${number} ${name}`) ?? 0) + 1;
      numbers.set(`${number} ${name}`, count);
      return { process: number, name, number: count, ordinal, text: text.replaceAll(directory, "") };
    });
}

/** Where a point is in a run of which only the calls of its name were logged; undefined where the run did not come so far. */
export function callAt({ number }: Point, calls: readonly Call[], directory: string): Call | undefined {
  return calls.filter((call) => changesBelow(directory, call))[number - 1];
}

/** How a point is called, for repeating it: `program:pwrite64:17`, `child1:fsync:1`. */
export function nameOf({ process, name, number }: Pick<Point, "process" | "name" | "number">): string {
  return `${process === 0 ? "program" : `child${process}`}:${name}:${number}`;
}

/** Whether a point is meant by a name, or by the beginning of one: `program:statx` is every such call of the program. */
export function isMeant(name: string, meant: string | undefined): boolean {
  return meant === undefined || name === meant || name.startsWith(`${meant}:`);
}

/** Some of a list, evenly spread; `start` (0 to 1) shifts them. */
export function spread<Item>(items: readonly Item[], wanted: number, start: number): Item[] {
  const count = Math.min(wanted, items.length);
  return Array.from(
    { length: count },
    (_, index) => items[Math.floor(((index + start) * items.length) / count)] as Item,
  );
}

/** Where {@link spread} begins for a seed: far apart for seeds that follow each other. */
export function startOf(seed: number): number {
  return (seed * 0.618_033_988_749_895) % 1;
}
