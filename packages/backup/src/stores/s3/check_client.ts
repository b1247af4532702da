import type { S3Client } from "@aws-sdk/client-s3";
import { StorageError } from "@perdura/internals/errors/errors.js";
import { withoutSecrets } from "@perdura/internals/terminal/without_secrets.js";
import { cleanCause } from "./s3_cause.ts";

/** Longest wait for credentials, of which some come from services that need not be there. */
const LONGEST_WAIT_MS = 4000;

const LOOKED_FOR =
  "looked for in the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE), in ~/.aws/credentials and ~/.aws/config, and at the services that give credentials to machines of AWS";

/**
 * Looks whether a client has credentials and a region.
 *
 * @param timeoutMs Of a try; credentials are not waited for longer than that.
 * @returns What of the credentials must never be shown.
 * @throws StorageError
 */
export async function checkClient(
  client: S3Client,
  place: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<string[]> {
  try {
    await client.config.region();
  } catch (cause) {
    throw new StorageError(
      `${place}: no AWS region is known; name it in the address (?region=eu-west-1), in AWS_REGION or in ~/.aws/config. Nothing was sent.`,
      { path: place, cause: cleanCause(cause, []) },
    );
  }
  const limit = new AbortController();
  const waitMs = Math.min(timeoutMs, LONGEST_WAIT_MS);
  const timer = setTimeout(() => limit.abort(), waitMs);
  try {
    const found = await Promise.race([client.config.credentials(), aborted(limit.signal), aborted(signal)]);
    return [found.secretAccessKey, found.sessionToken ?? ""].filter((secret) => secret !== "");
  } catch (cause) {
    signal?.throwIfAborted();
    const late = limit.signal.aborted ? `; what was asked did not answer within ${waitMs / 1000} s` : "";
    const { message } = cause as Error;
    // What it says where none of its sources has any.
    const none = late !== "" || /Could not load credentials from any providers/.test(message);
    const what = none
      ? `no AWS credentials found (${LOOKED_FOR}${late})`
      : `AWS credentials cannot be had: ${withoutSecrets(message)}`;
    throw new StorageError(`${place}: ${what.replace(/\.$/, "")}. Nothing was sent.`, {
      path: place,
      cause: cleanCause(cause, []),
    });
  } finally {
    clearTimeout(timer);
    // Nobody waits any longer: its promise may end.
    limit.abort();
  }
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted === true) reject(signal.reason as Error);
    signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
