import { basename } from "node:path";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { faultsOfError as faultsOfRefusal } from "../documents/judge_error.ts";

/** What is the matter with something that was thrown: it should be meant, name the file, and be fit to be shown. */
export function faultsOfError(
  what: string,
  error: unknown,
  path: string,
  isOwn: boolean = isPerduraError(error),
): string[] {
  return faultsOfRefusal(error, { names: basename(path), own: () => isOwn }).map((fault) => `${what}: ${fault}`);
}

/** Does something that may fail with an error of perdura's own; adds what is the matter with another one. */
export function attempt<Result>(what: string, path: string, wrong: string[], task: () => Result): Result | undefined {
  try {
    return task();
  } catch (error) {
    wrong.push(...faultsOfError(what, error, path));
    return undefined;
  }
}
