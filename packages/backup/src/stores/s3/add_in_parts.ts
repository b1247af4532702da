import type { CompletedPart } from "@aws-sdk/client-s3";
import type { Upload } from "../object_store.ts";
import { isOurs, underCondition } from "./add_object.ts";
import type { Added } from "./add_object.ts";
import { mayPass } from "./passing.ts";
import { codeOf, harmless, statusOf, WrongBody } from "./thrown.ts";
import { foundObject } from "./found_object.ts";
import type { Target } from "./found_object.ts";
import { sendParts } from "./send_parts.ts";
import { tried } from "./tries.ts";

/** Longest wait for the store to forget an upload; less, where the caller does not want to wait any longer. */
const LONGEST_ABORT_MS = 3000;
const LONGEST_ABORT_OF_STOPPED_MS = 1000;

/** Adds an object of several parts, of which nobody sees anything before the last step. */
export async function addInParts(target: Target, upload: Upload, signal?: AbortSignal): Promise<Added> {
  // All parts would be sent before the store says so.
  if ((await foundObject(target, upload.key, signal).catch(rethrowHarmless)) !== undefined) return "exists";
  for (let tries = 1; ; tries += 1) {
    try {
      return await addOnce(target, upload, signal);
    } catch (error) {
      // Somebody deleted the key meanwhile: S3 wants all to be sent anew.
      if (statusOf(error) !== 409 || tries >= target.limits.tries) throw error;
    }
  }
}

async function addOnce(target: Target, upload: Upload, signal?: AbortSignal): Promise<Added> {
  const UploadId = await begun(target, upload, signal).catch(rethrowHarmless);
  try {
    const parts = await sendParts(target, upload, UploadId, signal).catch(rethrowHarmless);
    // That took its time; and there are stores that keep the condition of a single request, but not of this last step.
    if ((await foundObject(target, upload.key, signal).catch(rethrowHarmless)) !== undefined) {
      await abort(target, upload.key, UploadId, signal);
      return "exists";
    }
    const outcome = await underCondition(target, upload, signal, (condition) =>
      complete(target, upload, UploadId, parts, condition, signal),
    );
    if (outcome === "exists") await abort(target, upload.key, UploadId, signal);
    return outcome;
  } catch (error) {
    await abort(target, upload.key, UploadId, signal);
    throw error;
  }
}

/** Before the last step nothing has been stored, whatever was done. */
function rethrowHarmless(error: unknown): never {
  throw harmless(error);
}

async function begun(
  { sdk, client, bucket: Bucket, prefix, limits }: Target,
  upload: Upload,
  signal?: AbortSignal,
): Promise<string> {
  const { key, contentType: ContentType, metadata } = upload;
  const sums = await client.config.requestChecksumCalculation();
  const create = new sdk.CreateMultipartUploadCommand({
    Bucket,
    Key: prefix + key,
    ContentType,
    Metadata: { ...metadata },
    // The sum that the SDK gives each part.
    ...(sums === "WHEN_SUPPORTED" ? { ChecksumAlgorithm: "CRC32" } : {}),
  });
  const { UploadId } = await tried((abortSignal) => client.send(create, { abortSignal }), limits, signal);
  if (UploadId === undefined) throw new WrongBody("the store gave no id for an upload in parts");
  return UploadId;
}

async function complete(
  target: Target,
  upload: Upload,
  UploadId: string,
  Parts: CompletedPart[],
  condition: { IfNoneMatch?: "*" },
  signal: AbortSignal | undefined,
): Promise<void> {
  const { sdk, client, bucket: Bucket, prefix, limits } = target;
  const where = { Bucket, Key: prefix + upload.key, UploadId };
  const command = new sdk.CompleteMultipartUploadCommand({ ...where, MultipartUpload: { Parts }, ...condition });
  try {
    await tried(
      (abortSignal) => client.send(command, { abortSignal }),
      limits,
      signal,
      (error) => mayPass(error) && statusOf(error) !== 409,
    );
  } catch (error) {
    // Some stores forget an upload with its end, of which the answer was lost.
    if (codeOf(error) === "NoSuchUpload" && (await isOurs(target, upload, signal))) return;
    throw error;
  }
}

/**
 * Lets the store forget the parts, which nobody sees but somebody pays for. Where that fails, they stay until the bucket's own
 * rule for unfinished uploads ends them: the error that led here matters more.
 */
async function abort(
  { sdk, client, bucket: Bucket, prefix, limits }: Target,
  key: string,
  UploadId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const command = new sdk.AbortMultipartUploadCommand({ Bucket, Key: prefix + key, UploadId });
  const longest = signal?.aborted === true ? LONGEST_ABORT_OF_STOPPED_MS : LONGEST_ABORT_MS;
  const own = { ...limits, tries: signal?.aborted === true ? 1 : 2, timeoutMs: Math.min(limits.timeoutMs, longest) };
  await tried((abortSignal) => client.send(command, { abortSignal }), own, undefined).catch(() => undefined);
}
