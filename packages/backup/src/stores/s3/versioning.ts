import type { Keeping } from "../object_store.ts";
import type { Target } from "./found_object.ts";
import { lifecycleRule } from "./lifecycle_rule.ts";
import { statusOf } from "./thrown.ts";
import { tried } from "./tries.ts";

/** Asks whether the bucket keeps what is removed; most credentials may not know, and some stores do not. */
export async function keepingOf(target: Target, endpoint: string | undefined, signal?: AbortSignal): Promise<Keeping> {
  const { sdk, client, bucket: Bucket, limits } = target;
  const howToFree = lifecycleRule(target, endpoint);
  const status = await unlessRefused(
    tried(
      (abortSignal) => client.send(new sdk.GetBucketVersioningCommand({ Bucket }), { abortSignal }),
      limits,
      signal,
    ).then(({ Status }) => Status ?? "Off"),
  );
  if (status === "Off") return { retains: false };
  if (status === "Enabled") return { retains: true, why: "the bucket has versioning", howToFree };
  // An answer to a removal still tells of versioning that may not be asked for; suspended, it keeps what came before.
  const why = status === "Suspended" ? "the bucket had versioning, which is suspended" : "the bucket has versioning";
  return { retains: undefined, why, howToFree };
}

/** True where the bucket still has a version of a key; undefined where that may not be asked for. */
export async function hasOlderVersions(
  { sdk, client, bucket: Bucket, prefix, limits }: Target,
  key: string,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  const list = new sdk.ListObjectVersionsCommand({ Bucket, Prefix: prefix + key });
  const page = await unlessRefused(tried((abortSignal) => client.send(list, { abortSignal }), limits, signal));
  return page?.Versions?.some(({ Key }) => Key === prefix + key) ?? (page === undefined ? undefined : false);
}

/** Undefined for an answer that the question is not allowed, or that the store does not know it. */
async function unlessRefused<Result>(answer: Promise<Result>): Promise<Result | undefined> {
  try {
    return await answer;
  } catch (error) {
    const status = statusOf(error) ?? 0;
    if ((status >= 400 && status < 500 && status !== 429) || status === 501) return undefined;
    throw error;
  }
}
