import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";
import { assertOptions } from "@perdura/internals/text/options.js";
import type { FoundObject, Retention, ObjectStore, Removal, StoreLimits, Upload } from "../object_store.ts";
import { RemoteFailure, storageError } from "../remote/failures.ts";
import { type RemoteClient, RemoteStore } from "../remote/remote_store.ts";
import type { Change, Requests } from "../remote/requests.ts";
import { checkedPlace, type GcsPlace } from "./address.ts";
import { GcsApi } from "./api.ts";
import { accessOf, assertCredentials, machineAccess } from "./credentials.ts";
import { findObject, listObjects, readObject, removeObject } from "./objects.ts";
import { Uploads } from "./uploads.ts";
import { keepingOf } from "./versioning.ts";

export interface GcsOptions {
  /**
   * Another address of Google's service, such as one of a private network: `https://storage-name.p.googleapis.com`. By
   * default Google's own, or that of the emulator in `STORAGE_EMULATOR_HOST`. Not allowed with a client.
   */
  endpoint?: string | undefined;
  /** The project that pays for requests, if not the bucket's owner. */
  userProject?: string | undefined;
}

/**
 * Opens a bucket as a store. The credentials are those of the client, or of the machine: the file that
 * `GOOGLE_APPLICATION_CREDENTIALS` names, those of `gcloud auth application-default login`, or of the Google machine
 * itself.
 *
 * @throws MissingPackageError without the package `google-auth-library`, unless a client is passed.
 * @throws ValidationError naming the invalid part of the place or the options.
 * @throws StorageError when no credentials are found, or they give no access token.
 */
export async function openGcsStore(
  place: GcsPlace,
  limits: StoreLimits,
  options: GcsOptions = {},
): Promise<ObjectStore> {
  const checked = checkedPlace(place);
  checkOptions(options, checked.client !== undefined);
  const userProject = options.userProject ?? checked.userProject;
  try {
    const access = await (checked.client === undefined ? machineAccess(options.endpoint) : accessOf(checked.client));
    if (access.credentials !== undefined) await assertCredentials(access.credentials, limits);
    return new RemoteStore(new GcsBucket(new GcsApi(access, { ...checked, userProject }, limits)));
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    throw storageError(checked.shown, "open the store", error, "Nothing was sent.");
  }
}

function checkOptions({ endpoint, userProject, ...more }: GcsOptions, hasClient: boolean): void {
  assertOptions("options", { endpoint, userProject, ...more }, ["endpoint", "userProject"]);
  const isAddress = typeof endpoint === "string" && URL.canParse(endpoint) && /^https?:/.test(endpoint);
  if (endpoint !== undefined && (hasClient || !isAddress))
    throw new ValidationError(
      `${hasClient ? "not allowed with a client" : "expected an address like https://storage.googleapis.com"}; got ${describe(endpoint)}.`,
      { argument: "endpoint" },
    );
  if (userProject !== undefined && (typeof userProject !== "string" || userProject === ""))
    throw new ValidationError(`expected the id of a project, got ${describe(userProject)}.`, {
      argument: "userProject",
    });
}

/** Objects in a bucket, below a prefix. */
class GcsBucket implements RemoteClient {
  readonly place: string;
  readonly requests: Requests;
  readonly refusesLate = false;
  readonly #api: GcsApi;
  readonly #uploads: Uploads;

  constructor(api: GcsApi) {
    this.place = api.place.shown;
    this.requests = api.requests;
    this.#api = api;
    this.#uploads = new Uploads(api);
  }

  put(upload: Upload, change: Change, signal: AbortSignal | undefined): Promise<void> {
    return this.#uploads.put(upload, change, signal);
  }

  putParts(upload: Upload, change: Change, signal: AbortSignal | undefined): Promise<void> {
    return this.#uploads.putParts(upload, change, signal);
  }

  confirm(upload: Upload, found: FoundObject, change: Change, signal: AbortSignal | undefined): Promise<void> {
    return this.#uploads.confirm(upload, found, change, signal);
  }

  look(key: string, signal: AbortSignal | undefined): Promise<FoundObject | undefined> {
    return findObject(this.#api, key, signal);
  }

  read(object: FoundObject, start: number, into: Buffer, signal: AbortSignal | undefined): Promise<void> {
    return readObject(this.#api, object, start, into, signal);
  }

  list(prefix: string, signal: AbortSignal | undefined): AsyncGenerator<{ key: string; size: number }, void> {
    return listObjects(this.#api, prefix, signal);
  }

  remove(key: string, change: Change, signal: AbortSignal | undefined): Promise<Removal> {
    return removeObject(this.#api, key, change, signal);
  }

  keeping(signal: AbortSignal | undefined): Promise<Retention> {
    return keepingOf(this.#api, signal);
  }

  async close(): Promise<void> {
    await this.#uploads.close();
    this.#api.close();
  }
}
