import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { copyWithoutTimes } from "../system_calls/copy_of.ts";
import { type Ended, run } from "../system_calls/run_command.ts";
import { type Call, changesBelow, listingCalls, readCalls, touchesBelow } from "../system_calls/strace.ts";
import { unsyncedWhenSaid } from "../system_calls/unsynced.ts";
import type { Operation } from "./operation.ts";
import { bundleOf, programWords } from "../../../../test/programs.ts";

/** A system call of an operation, as often as it is made on files of its directory. */
export interface Place extends Pick<Call, "name" | "ordinal"> {
  /** From 1, among the calls of that name on files of the directory. */
  number: number;
  /** What the call is about, for people. */
  text: string;
  /** True where the thread for asynchronous calls makes it. */
  inThread: boolean;
}

/** An operation whose files lie ready, and that was done once undisturbed. */
export interface Rehearsed {
  operation: Operation;
  template: string;
  namesBefore: string[];
  namesAfter: string[];
  /** Calls that change the disk. */
  changing: Place[];
  /** All calls that have to do with files of the directory. */
  touching: Place[];
  /** What was not on the disk when a step was acknowledged. */
  unsynced: string[];
}

const PROGRAM = new URL("perform.ts", import.meta.url);

/**
 * The command that does an operation. Threads of V8 compile and collect garbage at other moments in each run, and the
 * memory that they take changes how often the main thread calls `openat` and `mmap`. Operations with threads are larger
 * programs, for which one thread takes longer.
 */
export function commandFor({ name, threads }: Operation, directory: string): string[] {
  const flags = threads === true ? [] : ["--single-threaded"];
  return [process.execPath, ...flags, ...programWords(PROGRAM), name, directory];
}

/** A bundle starts as fast without what an earlier run compiled, and makes the same calls in its first run. */
const BUNDLED = bundleOf(PROGRAM) !== undefined;

/** One thread for asynchronous calls, so that their order is the same each time, and no file that it reads for others. */
export function environment(place: string): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _another, NODE_COMPILE_CACHE: _shared, ...others } = process.env;
  const compiled = BUNDLED ? {} : { NODE_COMPILE_CACHE: join(place, "compiled") };
  return { ...others, ...compiled, UV_THREADPOOL_SIZE: "1", MALLOC_ARENA_MAX: "1" };
}

/** Everything below a directory, folders included. */
export function namesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted();
}

/**
 * Lays an operation's files out and does it once, to learn which system calls it makes.
 *
 * @param place A directory for its files, on the file system that is to be tried.
 * @throws Error when it fails although nobody disturbs it.
 */
export async function rehearse(operation: Operation, place: string): Promise<Rehearsed> {
  const template = join(place, "template");
  mkdirSync(template, { recursive: true });
  await operation.layOut(template);
  const [whole, log] = [copyWithoutTimes(template, join(place, "whole")), join(place, "calls")];
  // Once for nothing: what Node.js compiles must be there before calls are counted.
  if (!BUNDLED)
    mustEnd(
      operation,
      await run(commandFor(operation, copyWithoutTimes(template, join(place, "warm"))), environment(place)),
    );
  const command = [...listingCalls(log, "all"), ...commandFor(operation, whole)];
  mustEnd(operation, await run(command, environment(place)));
  const calls = readCalls(readFileSync(log, "utf8"));
  const steps = await operation.stepsIn(copyWithoutTimes(whole, join(place, "seen")));
  if (steps !== operation.steps) throw new Error(`${operation.name}: ${steps} steps are there, not ${operation.steps}`);
  const touching = placesOf(calls, whole, operation);
  return {
    operation,
    template,
    namesBefore: namesIn(template),
    namesAfter: namesIn(whole),
    changing: touching.filter((call) => changesBelow(whole, call)),
    touching,
    unsynced: unsyncedWhenSaid(calls, whole),
  };
}

function mustEnd({ name }: Operation, { code, stdout, stderr }: Ended): void {
  if (code !== 0) throw new Error(`${name} was not disturbed, and ended with ${code}: ${stdout}${stderr}`);
}

function placesOf(calls: readonly Call[], directory: string, { name: operation, threads }: Operation): Place[] {
  const main = calls[0]?.thread;
  const numbers = new Map<string, number>();
  return calls
    .filter((call) => touchesBelow(directory, call))
    .filter(({ thread, name }) => thread === main || threads === true || name !== "fdatasync")
    .map(({ thread, name, ordinal, text }) => {
      const inThread = thread !== main;
      if (inThread && threads !== true) throw new Error(`${operation}: ${name}(${text} is made by another thread`);
      const key = `${inThread} ${name}`;
      const number = (numbers.get(key) ?? 0) + 1;
      numbers.set(key, number);
      return { name, ordinal, text, inThread, number };
    });
}

/** How a place is called, for repeating it: `program:pwrite64:17`, `thread:fsync:1`. */
export function nameOf({ inThread, name, number }: Pick<Place, "inThread" | "name" | "number">): string {
  return `${inThread ? "thread" : "program"}:${name}:${number}`;
}
