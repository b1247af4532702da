import { fileURLToPath } from "node:url";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import { mayHoldSecret } from "@perdura/internals/terminal/redact_secrets.js";
import { describe } from "@perdura/internals/text/describe.js";
import { parseAzureAddress } from "./azure/address.ts";
import { type AzurePlace, openAzureStore } from "./azure/azure_store.ts";
import { DirectoryStore } from "./directory/directory_store.ts";
import { type GcsPlace, gcsPlaceOf } from "./gcs/address.ts";
import { BEGINNINGS, isScheme, type Scheme } from "./kinds.ts";
import type { ObjectStore, StoreLimits } from "./object_store.ts";
import type { S3Given } from "./s3/address.ts";
import { openS3Store } from "./s3/s3_store.ts";

/** Options in addition to a client. */
export interface ClientOptions {
  bucket: string | undefined;
  prefix: string | undefined;
}

/** Advice on the right place for credentials, by the scheme of an address. */
const CREDENTIALS: Record<Scheme, string> = {
  "s3:": "Credentials belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or in ~/.aws/credentials.",
  "az:": "Credentials belong in AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN.",
  "gs:": "Credentials belong in the file that GOOGLE_APPLICATION_CREDENTIALS names.",
  "file:": 'In the path of a directory, write %40 for "@".',
};

/** Functions that open a store, by the scheme of the address. */
const OPENERS: Record<Scheme, (address: string, limits: StoreLimits) => Promise<ObjectStore> | ObjectStore> = {
  "s3:": openS3Store,
  "az:": (address, limits) => openAzureStore(parseAzureAddress(address), limits),
  "gs:": (address, limits) => openGcs(gcsPlaceOf(address), limits),
  "file:": (address) => new DirectoryStore(directoryOf(address), address),
};

const EXPECTED = `expected an address that begins with ${BEGINNINGS}, or a client of one of the SDKs`;

/**
 * Opens the store of an address, or of a client of a vendor's SDK.
 *
 * @throws ValidationError for any other value; and the errors of the stores.
 */
export async function openStore(place: unknown, beside: ClientOptions, limits: StoreLimits): Promise<ObjectStore> {
  if (typeof place !== "string") return openClient(place, beside, limits);
  const scheme = /^[a-z0-9]+:/i.exec(place)?.[0].toLowerCase() ?? "";
  // Any other text may contain a secret.
  if (!isScheme(scheme))
    throw new ValidationError(
      `${EXPECTED}. A connection string belongs in AZURE_STORAGE_CONNECTION_STRING, a SAS token in AZURE_STORAGE_SAS_TOKEN.`,
      { argument: "place" },
    );
  if (mayHoldSecret(place))
    throw new ValidationError(
      `expected an address without credentials; this one is not shown, because it may contain some. ${CREDENTIALS[scheme]}`,
      { argument: "place" },
    );
  for (const [name, value] of Object.entries({ bucket: beside.bucket, prefix: beside.prefix }))
    if (value !== undefined)
      throw new ValidationError(`not allowed with an address, which already sets it; got ${describe(value)}.`, {
        argument: name,
      });
  return OPENERS[scheme](place, limits);
}

/** Detected by its methods: the application may have another copy of the SDK than ours. */
function openClient(place: unknown, beside: ClientOptions, limits: StoreLimits): Promise<ObjectStore> {
  const shape = (typeof place === "object" && place !== null ? place : {}) as Record<string, unknown>;
  const is = (...methods: string[]): boolean => methods.every((name) => typeof shape[name] === "function");
  const { bucket, prefix = "" } = beside;
  if (is("send", "destroy")) return openS3Store({ client: place, bucket: named(bucket), prefix } as S3Given, limits);
  if (is("listBlobsFlat")) return openAzureStore({ client: place, prefix: unnamed(beside) } as AzurePlace, limits);
  if (is("getContainerClient"))
    return openAzureStore({ client: place, container: named(bucket), prefix } as AzurePlace, limits);
  if (is("file", "getFiles")) return openGcs({ bucket: place, prefix: unnamed(beside) } as GcsPlace, limits);
  if (is("bucket", "getBuckets")) return openGcs({ client: place, bucket: named(bucket), prefix } as GcsPlace, limits);
  throw new ValidationError(`${EXPECTED}, got ${describe(place)}.`, { argument: "place" });
}

/**
 * Loads this store only when it is used: `node:http` takes nearly as long to load as all other modules of the program.
 */
async function openGcs(place: GcsPlace, limits: StoreLimits): Promise<ObjectStore> {
  const { openGcsStore } = await import("./gcs/gcs_store.ts");
  return openGcsStore(place, limits);
}

function named(bucket: string | undefined): string {
  if (bucket !== undefined) return bucket;
  throw new ValidationError("expected the name of a bucket or container, which this client requires; got none.", {
    argument: "bucket",
  });
}

/** The client of a container or a bucket excludes the option `bucket`. */
function unnamed({ bucket, prefix = "" }: ClientOptions): string {
  if (bucket === undefined) return prefix;
  throw new ValidationError(`not allowed with a client of one bucket or container; got ${describe(bucket)}.`, {
    argument: "bucket",
  });
}

function directoryOf(address: string): string {
  try {
    const url = new URL(address);
    if (url.search + url.hash === "") return fileURLToPath(url);
  } catch (cause) {
    // Not passed as the cause, which would contain the whole address, possibly with a password.
    throw new ValidationError(`expected an address like file:///directory: ${(cause as Error).message}.`, {
      argument: "place",
    });
  }
  throw new ValidationError('the address of a directory contains "?" or "#". Write %3F for "?" and %23 for "#".', {
    argument: "place",
  });
}
