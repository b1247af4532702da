import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";
import { assertOptions } from "@perdura/internals/text/options.js";
import type { Storage } from "@google-cloud/storage";
import type { ObjectStore, StoreLimits } from "../object_store.ts";
import { GcsApi } from "./api.ts";
import { credentialHeaders, findCredentials, needsCredentials } from "./credentials.ts";
import { GcsFailure, storageErrorOf } from "./failures.ts";
import { GcsStore } from "./gcs_store.ts";
import { loadGcs } from "./load_gcs.ts";
import { checkedPlace } from "./place.ts";
import type { GcsPlace } from "./place.ts";
import { inTries } from "./tries.ts";

export interface GcsOptions {
  /**
   * Another address of Google's service, such as one of a private network: `https://storage-name.p.googleapis.com`. By
   * default Google's own, or the emulator's that `STORAGE_EMULATOR_HOST` names. No part of a place with a client.
   */
  endpoint?: string | undefined;
  /** The project that pays for requests, where the bucket's owner does not. */
  userProject?: string | undefined;
}

/** The longest wait for a server of the machine's surroundings, which is near where it is there, in milliseconds. */
const NEAR_MS = 4000;

/**
 * Opens a bucket as a store. The credentials are those of the client that is given, or of the machine: the file that
 * `GOOGLE_APPLICATION_CREDENTIALS` names, what `gcloud auth application-default login` left, or Google's machine itself.
 *
 * @throws MissingPackageError without the package `@google-cloud/storage`.
 * @throws ValidationError naming what is wrong with the place or the options.
 * @throws StorageError where there are no credentials, or where nobody gives an access token for them.
 */
export async function openGcsStore(
  place: GcsPlace,
  limits: StoreLimits,
  options: GcsOptions = {},
): Promise<ObjectStore> {
  const checked = checkedPlace(place);
  checkOptions(options, checked.client !== undefined);
  const storage = checked.client ?? (await newStorage(options.endpoint));
  const userProject = options.userProject ?? checked.userProject;
  try {
    const hasCredentials = await needsCredentials(storage);
    if (hasCredentials) await assertAccess(storage, limits);
    return new GcsStore(new GcsApi(storage, hasCredentials, { ...checked, userProject }, limits));
  } catch (error) {
    throw storageErrorOf(error, checked.shown, "opening", "What is stored is as it was.");
  }
}

function checkOptions({ endpoint, userProject, ...more }: GcsOptions, hasClient: boolean): void {
  assertOptions("options", { endpoint, userProject, ...more }, ["endpoint", "userProject"]);
  const isAddress = typeof endpoint === "string" && URL.canParse(endpoint) && /^https?:/.test(endpoint);
  if (endpoint !== undefined && (hasClient || !isAddress))
    throw new ValidationError(
      `endpoint: expected ${hasClient ? "none beside a client" : "an address like https://storage.googleapis.com"}, got ${describe(endpoint)}.`,
    );
  if (userProject !== undefined && (typeof userProject !== "string" || userProject === ""))
    throw new ValidationError(`userProject: expected the id of a project, got ${describe(userProject)}.`);
}

async function newStorage(endpoint: string | undefined): Promise<Storage> {
  assertEnvironment();
  const { Storage: Client } = await loadGcs();
  return new Client({
    // Objects belong to buckets and not to projects. Without one, Google's client looks for it in places that cost time: it
    // starts gcloud, and asks a server that only Google's machines have.
    projectId: process.env["GOOGLE_CLOUD_PROJECT"] ?? "unused",
    ...(endpoint === undefined ? {} : { apiEndpoint: endpoint, useAuthWithCustomEndpoint: true }),
  });
}

/** Both variables may hold a secret by mistake, which Google's client and Node.js would repeat. */
function assertEnvironment(): void {
  const { GOOGLE_APPLICATION_CREDENTIALS: file = "", STORAGE_EMULATOR_HOST: host = "" } = process.env;
  if (file.trimStart().startsWith("{"))
    throw new ValidationError(
      "GOOGLE_APPLICATION_CREDENTIALS: expected the path of a file, got what belongs into the file. Nothing was sent.",
    );
  if (host !== "" && (host.includes("@") || !URL.canParse(/^https?:\/\//.test(host) ? host : `http://${host}`)))
    throw new ValidationError(
      "STORAGE_EMULATOR_HOST: expected an address like http://host:port, without credentials, got another text. Nothing was sent.",
    );
}

/** Credentials are there, and good for a token. */
async function assertAccess(storage: Storage, limits: StoreLimits): Promise<void> {
  if (!(await findCredentials(storage))) {
    await inTries(limits, undefined, () => credentialHeaders(storage, limits.timeoutMs));
    return;
  }
  try {
    await credentialHeaders(storage, Math.min(NEAR_MS, limits.timeoutMs));
  } catch (error) {
    if (!(error instanceof GcsFailure) || !error.passes) throw error;
    throw new GcsFailure("noCredentials", `this machine's server of them gives none: ${error.message}`);
  }
}
