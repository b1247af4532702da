import type { TokenCredential } from "@azure/identity";
import { StorageError } from "@perdura/internals/errors/errors.js";
import type { StoreLimits } from "../object_store.ts";
import { again } from "./again.ts";
import { loadIdentity } from "./load_azure.ts";
import { TooSlow } from "./own_failures.ts";
import { reasonOf } from "./reasons.ts";
import { AzureFailure } from "./azure_failure.ts";

/** Milliseconds in which the credentials must be found; off Azure, nobody answers for the machine. */
const PATIENCE = 5000;

const SCOPE = "https://storage.azure.com/.default";

/**
 * The credentials of this machine or of the user who is signed in, which have been asked for a token already.
 *
 * @throws StorageError where there are none.
 */
export async function defaultCredential(place: string, limits: StoreLimits): Promise<TokenCredential> {
  const { DefaultAzureCredential } = await loadIdentity(place);
  const credential = new DefaultAzureCredential();
  const once = { ...limits, tries: 1, timeoutMs: Math.min(PATIENCE, limits.timeoutMs) };
  try {
    await again(once, undefined, (abortSignal) => credential.getToken(SCOPE, { abortSignal }));
    return credential;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new StorageError(
      `${place}: no credentials: neither AZURE_STORAGE_KEY nor AZURE_STORAGE_SAS_TOKEN nor a connection string for this account is set, and of this machine or of a user who is signed in, ${whatTheySaid(error)}. Nothing was sent.`,
      { path: place, cause: new AzureFailure(error) },
    );
  }
}

/** Several places are asked in turn: one that has credentials, which were refused, says more than those that have none. */
function whatTheySaid(error: Error & { errors?: Error[] }): string {
  if (error instanceof TooSlow) return "nobody gave any in time";
  const refused = [error, ...(error.errors ?? [])].find(({ name }) => name === "AuthenticationError");
  return refused === undefined ? "there are none" : reasonOf(refused);
}
