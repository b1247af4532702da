import type { ContainerClient } from "@azure/storage-blob";
import { isOfCaller } from "@perdura/internals/errors/callers_code.js";
import { PerduraError, StorageError } from "@perdura/internals/errors/errors.js";
import type { StoreLimits } from "../object_store.ts";
import { again } from "./again.ts";
import { mayHelp } from "./failed_tries.ts";
import { UnreadableUpload } from "./own_failures.ts";
import { reasonOf } from "./reasons.ts";
import { AzureFailure } from "./azure_failure.ts";

/** A container, and where in it our objects lie. */
export interface OpenedContainer {
  client: ContainerClient;
  /** Without slashes at its ends; may be empty. */
  prefix: string;
  /** The address without secrets, for messages. */
  place: string;
  limits: StoreLimits;
}

/** What is done, and to whom: `reading x/y`; and what became of the data where it failed. */
export interface Action {
  doing: string;
  fate: string | (() => string);
}

/** Sends a request as often as the limits say; what goes wrong becomes an error of perdura. */
export async function asking<Result>(
  container: OpenedContainer,
  action: Action,
  signal: AbortSignal | undefined,
  request: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  try {
    return await again(container.limits, signal, request);
  } catch (error) {
    signal?.throwIfAborted();
    throw failureOf(error, container, action);
  }
}

/** What the service, the SDK or the network threw, as an error of perdura that names the place and shows no secret. */
export function failureOf(error: unknown, { place, limits }: OpenedContainer, { doing, fate }: Action): unknown {
  if (error instanceof UnreadableUpload) return error.cause;
  if (error instanceof PerduraError || !(error instanceof Error) || isOfCaller(error)) return error;
  const tries = mayHelp(error) && limits.tries > 1 ? ` after ${limits.tries} tries` : "";
  const details = { path: place, cause: new AzureFailure(error) };
  return new StorageError(
    `${place}: ${doing} failed${tries}: ${reasonOf(error)}. ${typeof fate === "string" ? fate : fate()}`,
    details,
  );
}

/** Nothing is changed by asking. */
export const UNCHANGED = "What is stored is as it was.";
