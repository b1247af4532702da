import { basename } from "node:path";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { faultsOfError as faultsOfRefusal } from "../documents/judge_error.ts";

/** Faults of an error: it should be raised on purpose, name the file, and be safe to display. */
export function faultsOfError(
  what: string,
  error: unknown,
  path: string,
  isOwn: boolean = isPerduraError(error),
): string[] {
  return faultsOfRefusal(error, { names: basename(path), own: () => isOwn }).map((fault) => `${what}: ${fault}`);
}

/** Runs a task that may fail with one of perdura's errors; records the faults of any other error. */
export function attempt<Result>(what: string, path: string, wrong: string[], task: () => Result): Result | undefined {
  try {
    return task();
  } catch (error) {
    wrong.push(...faultsOfError(what, error, path));
    return undefined;
  }
}
