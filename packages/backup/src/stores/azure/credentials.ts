import type { BlobServiceClient, StoragePipelineOptions } from "@azure/storage-blob";
import { StorageError } from "@perdura/internals/errors/errors.js";
import type { StoreLimits } from "../object_store.ts";
import { accountOf } from "./azure_address.ts";
import type { AzureAddress } from "./azure_address.ts";
import { assertKey, completed, connectionParts, isAbout } from "./connection_string.ts";
import type { ConnectionParts } from "./connection_string.ts";
import { defaultCredential } from "./default_credential.ts";
import { loadStorageBlob } from "./load_azure.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the accounts are that are named without their host. */
const PUBLIC_CLOUD = "blob.core.windows.net";

/**
 * A client for the account of an address, with the credentials of the environment.
 *
 * @throws StorageError where there are none.
 */
export async function serviceOf(
  address: AzureAddress,
  place: string,
  limits: StoreLimits,
  environment: Environment,
): Promise<BlobServiceClient> {
  const sdk = await loadStorageBlob();
  const options = pipelineOptions(limits);
  const [text, named] = [set(environment, "CONNECTION_STRING"), set(environment, "ACCOUNT")];
  if (address.host === undefined && text !== undefined)
    return fromText(sdk, text, connectionParts(text, place), options, place);
  const host = address.host ?? hostOf(named, place);
  const account = accountOf(host) as string;
  // A key that is said to be another account's is not shown to this one.
  const ours = named === undefined || named === account;
  const [key, token] = ours ? [set(environment, "KEY"), set(environment, "SAS_TOKEN")] : [];
  const url = `https://${host}`;
  if (key !== undefined) {
    assertKey(key, "AZURE_STORAGE_KEY", place);
    return new sdk.BlobServiceClient(url, new sdk.StorageSharedKeyCredential(account, key), options);
  }
  if (token !== undefined)
    return new sdk.BlobServiceClient(`${url}/?${token.replace(/^\?/, "")}`, new sdk.AnonymousCredential(), options);
  const parts = text === undefined ? undefined : connectionParts(text, place);
  if (text !== undefined && parts !== undefined && isAbout(parts, account, host))
    return fromText(sdk, text, parts, options, place);
  return new sdk.BlobServiceClient(url, await defaultCredential(place, limits), options);
}

/** An unset variable and an empty one are the same. */
function set(environment: Environment, name: string): string | undefined {
  const value = environment[`AZURE_STORAGE_${name}`]?.trim();
  return value === "" ? undefined : value;
}

function hostOf(account: string | undefined, place: string): string {
  if (account !== undefined && /^[a-z0-9]{3,24}$/.test(account)) return `${account}.${PUBLIC_CLOUD}`;
  const problem =
    account === undefined
      ? "no credentials: set AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or name the account: az://container@account.blob.core.windows.net"
      : "AZURE_STORAGE_ACCOUNT: expected 3 to 24 lower-case letters and digits, got something else";
  throw new StorageError(`${place}: ${problem}. Nothing was sent.`, { path: place });
}

function fromText(
  sdk: { BlobServiceClient: typeof BlobServiceClient },
  text: string,
  parts: ConnectionParts,
  options: StoragePipelineOptions,
  place: string,
): BlobServiceClient {
  try {
    return sdk.BlobServiceClient.fromConnectionString(completed(text, parts), options);
  } catch {
    // What the SDK says may show parts of the text.
    const problem = "AZURE_STORAGE_CONNECTION_STRING cannot be used: the SDK refuses it";
    throw new StorageError(`${place}: ${problem}. Nothing was sent.`, { path: place });
  }
}

/** We try again ourselves: the SDK does not with what breaks while a body is read, nor when the service says 429. */
function pipelineOptions({ timeoutMs }: StoreLimits): StoragePipelineOptions {
  // The service then ends a request that we no longer wait for; in whole seconds.
  return { retryOptions: { maxTries: 1, tryTimeoutInMs: Math.max(1000, timeoutMs) } };
}
