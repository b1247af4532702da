import type { BlobServiceClient, ContainerClient } from "@azure/storage-blob";
import { StorageError, ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";
import type { FoundObject, Retention, ObjectStore, Removal, StoreLimits, Upload } from "../object_store.ts";
import { RemoteStore } from "../remote/remote_store.ts";
import type { RemoteClient } from "../remote/remote_store.ts";
import { Requests } from "../remote/requests.ts";
import type { Change } from "../remote/requests.ts";
import { accountOf, assertMetadata, blobName, checkedPrefix } from "./address.ts";
import type { AzureAddress } from "./address.ts";
import { serviceOf } from "./client.ts";
import { azureFailure } from "./failures.ts";
import { findBlob, listBlobs, readBlob, removeBlob } from "./objects.ts";
import type { Container } from "./objects.ts";
import { putBlocks, putWhole } from "./uploads.ts";
import { hasVersions, keepingOf } from "./versioning.ts";

/**
 * A parsed address, or an existing client of the SDK. A client keeps its own retry policy within each of our tries:
 * `retryOptions: { maxTries: 1 }` leaves retries to us.
 */
export type AzurePlace =
  | AzureAddress
  | { client: ContainerClient; prefix?: string }
  | { client: BlobServiceClient; container: string; prefix?: string };

export interface AzureOptions {
  /** Environment variables with the credentials; those of the process by default. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Blobs per page of a listing; the service returns at most 5,000, the default. */
  pageSize?: number;
}

/**
 * Opens a container. No request is sent yet, except for credentials of the machine.
 *
 * @throws StorageError when credentials are missing or malformed.
 * @throws MissingPackageError when the SDK is not installed.
 */
export async function openAzureStore(
  place: AzurePlace,
  limits: StoreLimits,
  options: AzureOptions = {},
): Promise<ObjectStore> {
  const { environment = process.env, pageSize = 5000 } = options;
  const prefix = checkedPrefix(place.prefix ?? "");
  const client =
    "client" in place
      ? containerOf(place)
      : (await serviceOf(place, shownAddress(place), limits, environment).catch(hideAddress(place))).getContainerClient(
          place.container,
        );
  const requests = new Requests(limits, (error) => azureFailure(error, client.url));
  return new RemoteStore(new AzureContainer(shownPlace(client, prefix), { client, prefix, requests }, pageSize));
}

/** Objects in a container, as block blobs. */
class AzureContainer implements RemoteClient {
  readonly place: string;
  readonly requests: Requests;
  /** The service checks a condition only when all blocks have been sent. */
  readonly refusesLate = true;
  readonly #container: Container;
  readonly #pageSize: number;
  /** Undefined if not yet requested, or not permitted to request. */
  #hasVersions: boolean | undefined;

  constructor(place: string, container: Container, pageSize: number) {
    this.place = place;
    this.requests = container.requests;
    this.#container = container;
    this.#pageSize = pageSize;
  }

  assertUpload({ key, metadata }: Upload): void {
    blobName(this.#container.prefix, key);
    assertMetadata(metadata);
  }

  put(upload: Upload, change: Change, signal: AbortSignal | undefined): Promise<void> {
    return putWhole(this.#container, upload, change, signal);
  }

  putParts(upload: Upload, change: Change, signal: AbortSignal | undefined): Promise<void> {
    return putBlocks(this.#container, upload, change, signal);
  }

  look(key: string, signal: AbortSignal | undefined): Promise<FoundObject | undefined> {
    return findBlob(this.#container, key, signal);
  }

  read(object: FoundObject, start: number, into: Buffer, signal: AbortSignal | undefined): Promise<void> {
    return readBlob(this.#container, object, start, into, signal);
  }

  list(prefix: string, signal: AbortSignal | undefined): AsyncGenerator<{ key: string; size: number }, void> {
    return listBlobs(this.#container, prefix, this.#pageSize, signal);
  }

  remove(key: string, change: Change, signal: AbortSignal | undefined): Promise<Removal> {
    return removeBlob(this.#container, key, this.#hasVersions, change, signal);
  }

  async keeping(signal: AbortSignal | undefined): Promise<Retention> {
    this.#hasVersions = await hasVersions(this.#container, signal);
    return keepingOf(this.#container, this.#hasVersions);
  }

  /** Idle connections do not keep the process alive, and the SDK shares them with the whole process. */
  async close(): Promise<void> {}
}

/** Replaces the error of Node.js about an invalid address, which would repeat the password of a proxy. */
function hideAddress(address: AzureAddress): (error: unknown) => never {
  return (error) => {
    if ((error as NodeJS.ErrnoException | undefined)?.code !== "ERR_INVALID_URL") throw error;
    const path = shownAddress(address);
    throw new StorageError(
      "HTTPS_PROXY, HTTP_PROXY or ALL_PROXY is not a valid address: expected http://host:port. Nothing was sent.",
      { path },
    );
  };
}

/** Detected by its methods: the application may have another copy of the SDK than ours. */
function containerOf(place: Exclude<AzurePlace, AzureAddress>): ContainerClient {
  const client = (place.client ?? {}) as unknown as Record<string, unknown>;
  if (typeof client["listBlobsFlat"] === "function") return place.client as ContainerClient;
  if (typeof client["getContainerClient"] !== "function")
    throw new ValidationError(
      `expected a ContainerClient or a BlobServiceClient of @azure/storage-blob, got ${describe(place.client)}.`,
      { argument: "client" },
    );
  if (!("container" in place) || typeof place.container !== "string" || place.container === "")
    throw new ValidationError("expected the name of a container, which a BlobServiceClient requires; got none.", {
      argument: "container",
    });
  return (place.client as BlobServiceClient).getContainerClient(place.container);
}

function shownAddress({ container, host, prefix }: AzureAddress): string {
  return `az://${container}${host === undefined ? "" : `@${host}`}${prefix === "" ? "" : `/${prefix}`}`;
}

/** Without the query, which may be a SAS token. */
function shownPlace({ url, containerName }: ContainerClient, prefix: string): string {
  const { origin, hostname, pathname } = new URL(url);
  const container = accountOf(hostname) === undefined ? `${origin}${pathname}` : `az://${containerName}@${hostname}`;
  return prefix === "" ? container : `${container}/${prefix}`;
}
