import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { copyWithoutTimes } from "../system_calls/copy_of.ts";
import { type Ended, run } from "../system_calls/run_command.ts";
import { type Call, changesBelow, listingCalls, readCalls, touchesBelow } from "../system_calls/strace.ts";
import { unsyncedAtOutput } from "../system_calls/unsynced.ts";
import type { Operation } from "./operation.ts";
import { bundleOf, programWords } from "../../../../test/programs.ts";

/** A system call of an operation on files of its directory. */
export interface Place extends Pick<Call, "name" | "ordinal"> {
  /** From 1, among the calls of that name on files of the directory. */
  number: number;
  /** Arguments of the call, for readers. */
  text: string;
  /** True if the thread for asynchronous calls makes it. */
  inThread: boolean;
}

/** An operation whose files are prepared, and that was run once undisturbed. */
export interface Rehearsed {
  operation: Operation;
  template: string;
  namesBefore: string[];
  namesAfter: string[];
  /** Calls that change the disk. */
  changing: Place[];
  /** All calls that concern files of the directory. */
  touching: Place[];
  /** Data that was not synced when a step was acknowledged. */
  unsynced: string[];
}

const PROGRAM = new URL("perform.ts", import.meta.url);

/**
 * Command that runs an operation. V8's threads for compilation and garbage collection make the number of `openat` and
 * `mmap` calls of the main thread vary between runs, so V8 runs single-threaded. Operations with threads are larger
 * programs, which a single thread would slow down.
 */
export function commandFor({ name, threads }: Operation, directory: string): string[] {
  const flags = threads === true ? [] : ["--single-threaded"];
  return [process.execPath, ...flags, ...programWords(PROGRAM), name, directory];
}

/** A bundle starts as fast without a compile cache, and makes the same calls in its first run. */
const BUNDLED = bundleOf(PROGRAM) !== undefined;

/**
 * One thread for asynchronous calls, so that their order is the same each time, and without certificates and a shared
 * compile cache, whose files it would read.
 */
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
 * Prepares an operation's files and runs it once, to record its system calls.
 *
 * @param place A directory for its files, on the file system under test.
 * @throws Error if the undisturbed run fails.
 */
export async function rehearse(operation: Operation, place: string): Promise<Rehearsed> {
  const template = join(place, "template");
  mkdirSync(template, { recursive: true });
  await operation.layOut(template);
  const [whole, log] = [copyWithoutTimes(template, join(place, "whole")), join(place, "calls")];
  // A first run fills the compile cache; calls are counted after it.
  if (!BUNDLED)
    mustEnd(
      operation,
      await run(commandFor(operation, copyWithoutTimes(template, join(place, "warm"))), environment(place)),
    );
  const command = [...listingCalls(log, "all"), ...commandFor(operation, whole)];
  mustEnd(operation, await run(command, environment(place)));
  const calls = readCalls(readFileSync(log, "utf8"));
  const steps = await operation.stepsIn(copyWithoutTimes(whole, join(place, "seen")));
  if (steps !== operation.steps)
    throw new Error(`${operation.name}: ${steps} steps are stored, expected ${operation.steps}`);
  const touching = placesOf(calls, whole, operation);
  return {
    operation,
    template,
    namesBefore: namesIn(template),
    namesAfter: namesIn(whole),
    changing: touching.filter((call) => changesBelow(whole, call)),
    touching,
    unsynced: unsyncedAtOutput(calls, whole),
  };
}

function mustEnd({ name }: Operation, { code, stdout, stderr }: Ended): void {
  if (code !== 0) throw new Error(`${name} was not disturbed, but ended with ${code}: ${stdout}${stderr}`);
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

/** Name of a place for `--point`: `program:pwrite64:17`, `thread:fsync:1`. */
export function nameOf({ inThread, name, number }: Pick<Place, "inThread" | "name" | "number">): string {
  return `${inThread ? "thread" : "program"}:${name}:${number}`;
}
