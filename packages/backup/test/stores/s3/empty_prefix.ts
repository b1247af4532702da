import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type S3Client,
} from "@aws-sdk/client-s3";
import * as sdk from "@aws-sdk/client-s3";
import type { StoreLimits } from "../../../src/stores/object_store.ts";
import { parseS3Address } from "../../../src/stores/s3/address.ts";
import { newClient, withEndpoint } from "../../../src/stores/s3/client.ts";

/** An object or version below a prefix; the key alone without versioning. */
interface Left {
  Key: string;
  VersionId?: string | undefined;
}

/**
 * Removes all objects, versions, delete markers and unfinished uploads below the prefix of an address, and nothing
 * else.
 *
 * @throws Error naming locked versions, which remain.
 */
export async function emptyPrefix(address: string, limits: StoreLimits): Promise<void> {
  const place = withEndpoint(parseS3Address(address));
  if (place.prefix === "") throw new Error("a whole bucket is not emptied");
  const client = newClient(sdk, place, { ...limits, tries: 1 });
  try {
    const stuck: string[] = [];
    const where = { Bucket: place.bucket, Prefix: place.prefix };
    const everything = await everythingIn(client, where).catch((cause: unknown) => {
      throw new Error(`${place.place}: what the tests stored cannot be listed. Remove it yourself.`, { cause });
    });
    for (const { Key, VersionId } of everything) {
      const what = { Bucket: place.bucket, Key, ...(VersionId === undefined ? {} : { VersionId }) };
      await client.send(new DeleteObjectCommand(what)).catch((error: unknown) => {
        stuck.push(`${Key} ${VersionId ?? ""}: ${(error as Error).message}`);
      });
    }
    for (const { Key, UploadId } of await uploadsIn(client, where))
      await client.send(new AbortMultipartUploadCommand({ Bucket: place.bucket, Key, UploadId }));
    if (stuck.length > 0)
      throw new Error(
        `${place.place}: ${stuck.length} versions of the tests cannot be removed:\n${stuck.slice(0, 5).join("\n")}`,
      );
  } finally {
    client.destroy();
  }
}

async function everythingIn(client: S3Client, where: { Bucket: string; Prefix: string }): Promise<Left[]> {
  const found: Left[] = [];
  let next: Pick<ListObjectVersionsCommandOutput, "KeyMarker" | "VersionIdMarker"> | undefined = {};
  try {
    while (next !== undefined) {
      const page: ListObjectVersionsCommandOutput = await client.send(
        new ListObjectVersionsCommand({ ...where, ...next }),
      );
      for (const { Key = "", VersionId } of [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])])
        found.push({ Key, VersionId });
      next =
        page.IsTruncated === true
          ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
          : undefined;
    }
    if (found.length > 0) return found;
  } catch (error) {
    if (!isAnswer(error)) throw error;
  }
  // A store without versions, or one that misinterprets the request.
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({ ...where, ...(token === undefined ? {} : { ContinuationToken: token }) }),
    );
    found.push(...(page.Contents ?? []).map(({ Key = "" }) => ({ Key })));
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
  return found;
}

async function uploadsIn(
  client: S3Client,
  where: { Bucket: string; Prefix: string },
): Promise<{ Key: string; UploadId: string }[]> {
  try {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand(where));
    return Uploads.flatMap(({ Key = "", UploadId = "" }) => (Key.startsWith(where.Prefix) ? [{ Key, UploadId }] : []));
  } catch (error) {
    // Some stores cannot list them.
    if (!isAnswer(error)) throw error;
    return [];
  }
}

function isAnswer(error: unknown): boolean {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode !== undefined;
}
