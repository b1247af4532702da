import type { BlobServiceClient, ContainerClient } from "@azure/storage-blob";
import { StorageError, ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";
import type { ObjectStore, StoreLimits } from "../object_store.ts";
import { accountOf, checkedPrefix } from "./azure_address.ts";
import type { AzureAddress } from "./azure_address.ts";
import { AzureStore } from "./azure_store.ts";
import { serviceOf } from "./credentials.ts";

/**
 * A parsed address, or a client of the SDK that is there already. A client keeps its own policy of trying again, within each
 * of our tries: `retryOptions: { maxTries: 1 }` leaves it to us.
 */
export type AzurePlace =
  | AzureAddress
  | { client: ContainerClient; prefix?: string }
  | { client: BlobServiceClient; container: string; prefix?: string };

export interface AzureOptions {
  /** Where the credentials are; that of the process by default. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Blobs that are asked for at once when they are listed; the service sends no more than 5,000, the default. */
  pageSize?: number;
}

/**
 * Opens a container. The service is not asked yet, but for credentials of the machine.
 *
 * @throws StorageError where there are no credentials, or such as cannot be right.
 * @throws MissingPackageError where the SDK is not installed.
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
  return new AzureStore({ client, prefix, place: shownPlace(client, prefix), limits }, pageSize);
}

/** What Node.js says of an address that it cannot read has all of it, also the password of a proxy. */
function hideAddress(address: AzureAddress): (error: unknown) => never {
  return (error) => {
    if ((error as NodeJS.ErrnoException | undefined)?.code !== "ERR_INVALID_URL") throw error;
    const path = shownAddress(address);
    throw new StorageError(
      `${path}: the address of a proxy in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY cannot be read: expected http://host:port. Nothing was sent.`,
      { path },
    );
  };
}

/** By its shape: the application may have another copy of the SDK than ours. */
function containerOf(place: Exclude<AzurePlace, AzureAddress>): ContainerClient {
  const client = (place.client ?? {}) as unknown as Record<string, unknown>;
  if (typeof client["listBlobsFlat"] === "function") return place.client as ContainerClient;
  if (typeof client["getContainerClient"] !== "function")
    throw new ValidationError(
      `client: expected a ContainerClient or a BlobServiceClient of @azure/storage-blob, got ${describe(place.client)}.`,
    );
  if (!("container" in place) || typeof place.container !== "string" || place.container === "")
    throw new ValidationError("container: expected the container's name beside a BlobServiceClient, got none.");
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
