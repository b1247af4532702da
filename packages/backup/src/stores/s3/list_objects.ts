import type { Target } from "./found_object.ts";
import { WrongBody } from "./thrown.ts";
import { tried } from "./tries.ts";

/** Lists keys that begin so, page by page, in S3's order: that of their bytes. */
export async function* listedObjects(
  { sdk, client, bucket: Bucket, prefix, limits }: Target,
  beginning: string,
  signal?: AbortSignal,
): AsyncGenerator<{ key: string; size: number }> {
  let ContinuationToken: string | undefined;
  do {
    const list = new sdk.ListObjectsV2Command({
      Bucket,
      Prefix: prefix + beginning,
      // Keys of others may have characters that XML cannot hold.
      EncodingType: "url",
      ...(ContinuationToken === undefined ? {} : { ContinuationToken }),
    });
    const page = await tried((abortSignal) => client.send(list, { abortSignal }), limits, signal);
    for (const { Key = "", Size = 0 } of page.Contents ?? []) {
      const key = page.EncodingType === "url" ? decoded(Key) : Key;
      if (!key.startsWith(prefix + beginning))
        throw new WrongBody(`the store lists the key ${key}, which begins otherwise`);
      yield { key: key.slice(prefix.length), size: Size };
    }
    const next = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    if (page.IsTruncated === true && (next === undefined || next === ContinuationToken))
      throw new WrongBody("the store says that there is more, and not where");
    ContinuationToken = next;
  } while (ContinuationToken !== undefined);
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll("+", "%20"));
  } catch {
    // Bytes that are no UTF-8: none of ours.
    return key;
  }
}
