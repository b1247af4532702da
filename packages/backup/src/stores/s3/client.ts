import { Readable } from "node:stream";
import type * as S3 from "@aws-sdk/client-s3";
import type { S3Client, S3ClientConfig } from "@aws-sdk/client-s3";
import type { StoreLimits } from "../object_store.ts";
import { RemoteFailure, storageError } from "../remote/failures.ts";
import { loadOptional } from "@perdura/internals/errors/optional_packages.js";
import type { Requests } from "../remote/requests.ts";
import { addressOf, checkedEndpoint } from "./address.ts";
import type { S3Address } from "./address.ts";

/** Amazon's SDK. */
export type S3Sdk = typeof S3;

/**
 * Loads Amazon's SDK, an optional package.
 *
 * @throws MissingPackageError
 */
export function loadS3(): Promise<S3Sdk> {
  return loadOptional("Backups on S3 need", ["@aws-sdk/client-s3"], () => import("@aws-sdk/client-s3"));
}

/** Most stores that are compatible with S3 accept any region, and use this one as their own. */
const DEFAULT_REGION = "us-east-1";

const LONGEST_CONNECT_MS = 10_000;

/** Creates a client for an address; missing settings come from the environment and from Amazon's files. */
export function newClient({ S3Client: Client }: S3Sdk, address: S3Address, limits: StoreLimits): S3Client {
  const { endpoint } = address;
  const region = regionOf(address);
  const config: S3ClientConfig = {
    ...(region === undefined ? {} : { region }),
    // We retry ourselves, including the bodies of answers.
    maxAttempts: 1,
    // A store that ignores this header would cost six seconds per part.
    expectContinueHeader: false,
    requestHandler: { connectionTimeout: Math.min(limits.timeoutMs, LONGEST_CONNECT_MS) },
  };
  if (endpoint === undefined) return new Client({ ...config, followRegionRedirects: true });
  return new Client({
    ...config,
    endpoint,
    forcePathStyle: true,
    // Many stores do not support Amazon's newer checksums; bodies are sent with an MD5 instead.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
}

/** The part of a client that sends requests. */
export type Sender = Pick<S3Client, "config" | "send">;

/**
 * Wraps a client to record errors that cut off an answer: the SDK throws the same errors for a connection that broke
 * before.
 *
 * @param cutOff Receives those errors.
 */
export function recordTruncation(client: S3Client, cutOff: WeakSet<object>): Sender {
  const send = (command: Parameters<S3Client["send"]>[0], options: { abortSignal?: AbortSignal }): unknown => {
    command.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        const { body } = result.response as { body?: unknown };
        if (body instanceof Readable) body.once("error", (error) => void cutOff.add(error));
        return result;
      },
      // A command is sent again with every try.
      { step: "deserialize", priority: "low", name: "recordTruncation", override: true },
    );
    return client.send(command, options);
  };
  return { config: client.config, send: send as S3Client["send"] };
}

/** Adds the endpoint of the environment to an address that has none. */
export function withEndpoint(address: S3Address): S3Address {
  if (address.endpoint !== undefined) return address;
  const name = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"].find((each) => (process.env[each] ?? "") !== "");
  if (name === undefined) return address;
  const endpoint = checkedEndpoint(process.env[name] ?? "", name);
  return addressOf(address.bucket, address.prefix, address.region, endpoint);
}

/** Undefined if Amazon's files may still have a region. */
function regionOf({ region, endpoint }: S3Address): string | undefined {
  const named = region ?? (process.env["AWS_REGION"] || process.env["AWS_DEFAULT_REGION"]);
  if (named !== undefined && named !== "") return named;
  return endpoint === undefined ? undefined : DEFAULT_REGION;
}

/** Maximum wait for credentials, some of which come from services that may not exist; in milliseconds. */
const LONGEST_WAIT_MS = 4000;

const ADVICE =
  "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, set AWS_PROFILE, or write the credentials to ~/.aws/credentials. On AWS, attach a role to the machine.";

/**
 * Checks that a client has credentials and a region.
 *
 * @returns The parts of the credentials that must never be shown.
 * @throws StorageError
 */
export async function secretsOf(
  client: S3Client,
  place: string,
  requests: Requests,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const cannotOpen = (failure: RemoteFailure): Error =>
    storageError(place, "open the store", failure, "Nothing was sent.");
  try {
    await client.config.region();
  } catch {
    throw cannotOpen(new RemoteFailure("noRegion", ""));
  }
  const waitMs = Math.min(requests.limits.timeoutMs, LONGEST_WAIT_MS);
  try {
    const found = await requests.once(() => client.config.credentials(), signal, waitMs);
    return [found.secretAccessKey, found.sessionToken ?? ""].filter((secret) => secret !== "");
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof RemoteFailure)) throw error;
    throw cannotOpen(new RemoteFailure("noCredentials", error.message, { advice: ADVICE }));
  }
}
