import type * as Identity from "@azure/identity";
import type * as StorageBlob from "@azure/storage-blob";
import type { BlobServiceClient, StoragePipelineOptions } from "@azure/storage-blob";
import { StorageError } from "@perdura/internals/errors/errors.js";
import type { StoreLimits } from "../object_store.ts";
import { RemoteFailure, storageError } from "../remote/failures.ts";
import { loadOptional } from "@perdura/internals/errors/optional_packages.js";
import { Requests } from "../remote/requests.ts";
import { accountOf } from "./address.ts";
import type { AzureAddress } from "./address.ts";
import { azureFailure } from "./failures.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Domain of accounts whose host is not given. */
const PUBLIC_CLOUD = "blob.core.windows.net";

/**
 * Creates a client for the account of an address, with the credentials of the environment.
 *
 * @throws StorageError when no credentials are found.
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
  // The key of another account is not sent to this one.
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

/** The value of a variable; undefined also for an empty one. */
function set(environment: Environment, name: string): string | undefined {
  const value = environment[`AZURE_STORAGE_${name}`]?.trim();
  return value === "" ? undefined : value;
}

function hostOf(account: string | undefined, place: string): string {
  if (account === undefined) {
    const advice = `Set ${VARIABLES}, or name the account in the address: az://container@account.blob.core.windows.net.`;
    throw storageError(
      place,
      "open the store",
      new RemoteFailure("noCredentials", "", { advice }),
      "Nothing was sent.",
    );
  }
  if (/^[a-z0-9]{3,24}$/.test(account)) return `${account}.${PUBLIC_CLOUD}`;
  throw unusable("AZURE_STORAGE_ACCOUNT", "expected 3 to 24 lower-case letters and digits", place);
}

/** An error that shows nothing of the value. */
function unusable(name: string, why: string, place: string): StorageError {
  return new StorageError(`cannot open the store: ${name} is invalid: ${why}. Nothing was sent.`, {
    path: place,
  });
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
    // The SDK's message may show parts of the text.
    throw unusable("AZURE_STORAGE_CONNECTION_STRING", "the SDK rejects it", place);
  }
}

/** We retry ourselves: the SDK retries neither errors while a body is read, nor status 429. */
function pipelineOptions({ timeoutMs }: StoreLimits): StoragePipelineOptions {
  // The service then ends a request that we no longer wait for; in whole seconds.
  return { retryOptions: { maxTries: 1, tryTimeoutInMs: Math.max(1000, timeoutMs) } };
}

/**
 * Loads Azure's SDK, an optional package.
 *
 * @throws MissingPackageError
 */
function loadStorageBlob(): Promise<typeof StorageBlob> {
  return loadOptional(
    "Backups on Azure Blob Storage need",
    ["@azure/storage-blob"],
    () => import("@azure/storage-blob"),
  );
}

/**
 * Loads the package that finds the credentials of a machine or of a signed-in user.
 *
 * @throws MissingPackageError
 */
function loadIdentity(place: string): Promise<typeof Identity> {
  const need = `${place}: no key, SAS token or connection string for this account is set. Other credentials need`;
  return loadOptional(need, ["@azure/identity"], () => import("@azure/identity"));
}

/**
 * Maximum time of the search for credentials, in milliseconds; outside of Azure, the machine's service does not answer.
 */
const PATIENCE_MS = 5000;

const SCOPE = "https://storage.azure.com/.default";

const VARIABLES =
  "AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN";

/**
 * Finds the credentials of this machine or of the signed-in user, and gets a first token.
 *
 * @throws StorageError when no credentials are found.
 */
async function defaultCredential(place: string, limits: StoreLimits): Promise<Identity.TokenCredential> {
  const { DefaultAzureCredential } = await loadIdentity(place);
  const credential = new DefaultAzureCredential();
  const requests = new Requests(limits, (error) => azureFailure(error));
  try {
    const getToken = (abortSignal: AbortSignal) => credential.getToken(SCOPE, { abortSignal });
    await requests.once(getToken, undefined, Math.min(PATIENCE_MS, limits.timeoutMs));
    return credential;
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    if (error.kind === "refused") throw storageError(place, "open the store", error, "Nothing was sent.");
    const missing = new RemoteFailure(
      "noCredentials",
      `neither this machine nor the signed-in user has any: ${error.message}`,
      {
        advice: `Set ${VARIABLES}.`,
      },
    );
    throw storageError(place, "open the store", missing, "Nothing was sent.");
  }
}

/** Parts of a connection string, by lower-case names. */
type ConnectionParts = ReadonlyMap<string, string>;

/** @throws StorageError for an invalid connection string; it shows nothing of it. */
function connectionParts(text: string, place: string): ConnectionParts {
  const pairs = text
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "");
  const parts = new Map(
    pairs.map((pair) => [pair.split("=", 1)[0]?.toLowerCase() ?? "", pair.slice(pair.indexOf("=") + 1)]),
  );
  const [endpoint, account] = [parts.get("blobendpoint"), parts.get("accountname")];
  const development = parts.get("usedevelopmentstorage")?.toLowerCase() === "true";
  const secret = parts.get("accountkey") ?? parts.get("sharedaccesssignature");
  if (pairs.every((pair) => pair.includes("=")) && (development || (secret && (endpoint ?? account)))) {
    const key = parts.get("accountkey");
    if (key !== undefined) assertKey(key, "the AccountKey of AZURE_STORAGE_CONNECTION_STRING", place);
    if (endpoint === undefined || URL.canParse(endpoint)) return parts;
  }
  throw unusable(
    "AZURE_STORAGE_CONNECTION_STRING",
    "expected AccountName=…;AccountKey=… or BlobEndpoint=…;SharedAccessSignature=…",
    place,
  );
}

/**
 * Adds the parts of a connection string that the SDK requires; strings from the portal have them, shortened ones do
 * not.
 */
function completed(text: string, parts: ConnectionParts): string {
  if (parts.has("blobendpoint") || parts.has("usedevelopmentstorage")) return text;
  const missing = Object.entries({ DefaultEndpointsProtocol: "https", EndpointSuffix: "core.windows.net" }).filter(
    ([name]) => !parts.has(name.toLowerCase()),
  );
  return [text.replace(/;\s*$/, ""), ...missing.map((pair) => pair.join("="))].join(";");
}

/** @throws StorageError for a key that is not base64, which the service would refuse as wrong. */
function assertKey(key: string, what: string, place: string): void {
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(key) && key.length % 4 === 0) return;
  throw unusable(what, "expected a key in base64", place);
}

/** True if a connection string belongs to the account of a host. */
function isAbout(parts: ConnectionParts, account: string, host: string): boolean {
  const endpoint = parts.get("blobendpoint");
  // The same account by another route, such as a proxy, is not what the address names.
  if (endpoint !== undefined) return URL.canParse(endpoint) && new URL(endpoint).hostname === host;
  return parts.get("accountname") === account;
}
