import type { Storage } from "@google-cloud/storage";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import type { StoreLimits } from "../object_store.ts";
import { RemoteFailure } from "../remote/failures.ts";
import { loadOptional } from "@perdura/internals/errors/optional_packages.js";
import { Requests } from "../remote/requests.ts";
import { tokenFailure } from "./failures.ts";

/**
 * The methods of `GoogleAuth` of google-auth-library that are used; an application may have another copy or version of
 * it.
 */
export interface Credentials {
  getClient(): Promise<object>;
  /** Headers, or a plain object in older versions. */
  getRequestHeaders(): Promise<object>;
}

/** The target of requests, and their credentials; an emulator gets none. */
export interface Access {
  endpoint: URL;
  credentials: Credentials | undefined;
}

const DEFAULT_ENDPOINT = "https://storage.googleapis.com";

/** The scopes that Google's own client requests. */
const SCOPES = [
  "https://www.googleapis.com/auth/cloud-platform",
  "https://www.googleapis.com/auth/devstorage.full_control",
];

/**
 * Maximum time of the search for credentials, in milliseconds; its last step asks a server that only Google's machines
 * have.
 */
const SEARCH_MS = 4000;

const ADVICE =
  "Set GOOGLE_APPLICATION_CREDENTIALS to the path of a file with credentials, or run gcloud auth application-default login.";

/**
 * Access with the credentials of the machine, or without credentials to the emulator in `STORAGE_EMULATOR_HOST`.
 *
 * @param endpoint Another address of Google's service.
 * @throws MissingPackageError, ValidationError
 */
export async function machineAccess(endpoint: string | undefined): Promise<Access> {
  assertEnvironment();
  const { STORAGE_EMULATOR_HOST: emulator = "", GOOGLE_CLOUD_PROJECT: projectId = "unused" } = process.env;
  if (endpoint === undefined && emulator !== "") return { endpoint: urlOf(emulator), credentials: undefined };
  const { GoogleAuth } = await loadOptional(
    "Backups on Google Cloud Storage need",
    ["google-auth-library"],
    () => import("google-auth-library"),
  );
  // Objects belong to buckets, not to projects. Without a project, the library starts gcloud to find one.
  const credentials: Credentials = new GoogleAuth({ projectId, scopes: SCOPES });
  return { endpoint: urlOf(endpoint ?? DEFAULT_ENDPOINT), credentials };
}

/** Access with the settings of a client of `@google-cloud/storage`. */
export async function accessOf(storage: Storage): Promise<Access> {
  const credentials = (await sendsCredentials(storage)) ? storage.authClient : undefined;
  return { endpoint: new URL(storage.apiEndpoint), credentials };
}

function urlOf(address: string): URL {
  return new URL(/^https?:\/\//.test(address) ? address : `https://${address}`);
}

/**
 * Checks two variables that may contain a secret by mistake, which errors of the library and of Node.js would repeat.
 */
function assertEnvironment(): void {
  const { GOOGLE_APPLICATION_CREDENTIALS: file = "", STORAGE_EMULATOR_HOST: host = "" } = process.env;
  if (file.trimStart().startsWith("{"))
    throw new ValidationError("expected the path of a file, got the content of one. Nothing was sent.", {
      argument: "GOOGLE_APPLICATION_CREDENTIALS",
    });
  if (host !== "" && (host.includes("@") || !URL.canParse(/^https?:\/\//.test(host) ? host : `http://${host}`)))
    throw new ValidationError("expected an address like http://host:port, without credentials. Nothing was sent.", {
      argument: "STORAGE_EMULATOR_HOST",
    });
}

/** True for Google's own address; for emulators and other addresses, the setting of the client. */
async function sendsCredentials(storage: Storage): Promise<boolean> {
  if (!storage.customEndpoint) return true;
  if ("useAuthWithCustomEndpoint" in storage) return storage.useAuthWithCustomEndpoint === true;
  // Versions before 7.16 do not expose the setting, only its effect.
  const shown = new Promise<boolean>((settle) => {
    const onAuthenticated = (error: Error | null, request?: { headers?: unknown }): void =>
      settle(error !== null || new Headers((request?.headers ?? {}) as Record<string, string>).has("authorization"));
    const old = storage as unknown as {
      makeAuthenticatedRequest(request: object, seen: object): void;
      apiEndpoint: string;
    };
    old.makeAuthenticatedRequest({ uri: old.apiEndpoint, headers: {} }, { onAuthenticated });
  });
  return searching(() => shown);
}

/**
 * Checks that credentials exist, and that they give a token.
 *
 * @throws RemoteFailure
 */
export async function assertCredentials(credentials: Credentials, limits: StoreLimits): Promise<void> {
  const client = await searching(() => credentials.getClient());
  const requests = new Requests(limits, tokenFailure);
  const getHeaders = (): Promise<unknown> => credentials.getRequestHeaders();
  if (client.constructor.name !== "Compute") {
    await requests.send(getHeaders, undefined);
    return;
  }
  try {
    // The metadata server of Google's machines is near, if it exists.
    await requests.once(getHeaders, undefined, Math.min(SEARCH_MS, limits.timeoutMs));
  } catch (error) {
    if (!(error instanceof RemoteFailure) || !error.passes) throw error;
    throw new RemoteFailure("noCredentials", `the metadata server of this machine provides none: ${error.message}`, {
      advice: ADVICE,
    });
  }
}

/**
 * The headers that authorise a request.
 *
 * @throws RemoteFailure
 */
export async function credentialHeaders(credentials: Credentials): Promise<Record<string, string>> {
  try {
    return Object.fromEntries(new Headers((await credentials.getRequestHeaders()) as Record<string, string>));
  } catch (error) {
    throw error instanceof Error ? tokenFailure(error) : error;
  }
}

/** Searches for credentials in limited time. */
async function searching<Found>(search: () => Promise<Found>): Promise<Found> {
  // A parser's message shows a part of the file, which may be a private key.
  const failureOf = (error: Error): RemoteFailure =>
    new RemoteFailure(
      "noCredentials",
      error instanceof SyntaxError ? "the credentials file is not JSON" : error.message,
      {
        advice: ADVICE,
      },
    );
  try {
    return await new Requests({ tries: 1, timeoutMs: SEARCH_MS, partSize: 0 }, failureOf).once(search, undefined);
  } catch (error) {
    if (!(error instanceof RemoteFailure) || error.kind !== "slow") throw error;
    throw new RemoteFailure("noCredentials", `none were found within ${SEARCH_MS} ms`, { advice: ADVICE });
  }
}
