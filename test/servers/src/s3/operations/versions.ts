import { readFile } from "node:fs/promises";
import type { Answer } from "../answer.ts";
import { xmlAnswer } from "../answer.ts";
import type { BucketContext, KeyContext } from "../context.ts";
import { S3Error } from "../s3_error.ts";
import type { Bucket, OlderVersion, StoredObject } from "../state.ts";
import { childText, document, element, parseXml } from "../xml.ts";
import { malformedXml } from "./delete_objects.ts";
import { encodingOf, keysInOrder, maxKeysOf } from "./list_objects.ts";

/** The header with the id of a version; S3 sends none if the bucket never had versioning. */
export function versionHeader({ versioning }: Bucket, versionId: string | undefined): Record<string, string> {
  return versioning === undefined ? {} : { "x-amz-version-id": versionId ?? "null" };
}

/** All versions of a key, the newest first. */
function versionsOf({ objects, older }: Bucket, key: string): OlderVersion[] {
  const current = objects.get(key);
  const first = current && { versionId: current.versionId ?? "null", modified: current.modified, object: current };
  return [...(first === undefined ? [] : [first]), ...(older.get(key) ?? [])];
}

export function foundVersion(bucket: Bucket, key: string, versionId: string): OlderVersion | undefined {
  return versionsOf(bucket, key).find((each) => each.versionId === versionId);
}

/**
 * The object of a request: the version that it names, or the current one.
 *
 * @throws S3Error if it does not exist.
 */
export function versionOf({ call, bucket, key }: KeyContext): StoredObject {
  const versionId = call.query.get("versionId");
  if (versionId === undefined) return bucket.object(key);
  const found = foundVersion(bucket, key, versionId);
  if (found === undefined)
    throw new S3Error(404, "NoSuchVersion", "The specified version does not exist.", {
      Key: key,
      VersionId: versionId,
    });
  if (found.object !== undefined) return found.object;
  throw new S3Error(
    405,
    "MethodNotAllowed",
    "The specified method is not allowed against this resource.",
    { ResourceType: "DeleteMarker" },
    { "x-amz-delete-marker": "true" },
  );
}

export async function getBucketVersioning({ bucket: { versioning } }: BucketContext): Promise<Answer> {
  return xmlAnswer(
    document("VersioningConfiguration", versioning === undefined ? [] : [element("Status", versioning)]),
  );
}

export async function putBucketVersioning({ bucket, receive }: BucketContext): Promise<Answer> {
  const { file } = await receive();
  const root = parseXml(await readFile(file, "utf8"));
  const status = root?.name === "VersioningConfiguration" ? childText(root, "Status") : undefined;
  if (status !== "Enabled" && status !== "Suspended") throw malformedXml();
  if (bucket.retention !== undefined && status === "Suspended")
    throw new S3Error(
      409,
      "InvalidBucketState",
      "An Object Lock configuration is present on this bucket, so the versioning state cannot be changed.",
    );
  bucket.versioning = status;
  return { status: 200, headers: {} };
}

/** By key, the newest version of each first. */
export async function listObjectVersions({ bucket, call }: BucketContext): Promise<Answer> {
  const { query } = call;
  const prefix = query.get("prefix") ?? "";
  const keyMarker = query.get("key-marker") ?? "";
  const versionMarker = query.get("version-id-marker") ?? "";
  const most = maxKeysOf(query.get("max-keys"));
  const shown = encodingOf(query.get("encoding-type"));
  const keys = keysInOrder(new Set([...bucket.objects.keys(), ...bucket.older.keys()]));
  const all = keys
    .filter((key) => key.startsWith(prefix))
    .flatMap((key) => versionsOf(bucket, key).map((version, index) => ({ key, isLatest: index === 0, ...version })));
  const marked = all.findLastIndex(
    ({ key, versionId }) => key === keyMarker && (versionMarker === "" || versionId === versionMarker),
  );
  const page = all.slice(marked + 1, marked + 1 + most);
  const last = page.at(-1);
  const isTruncated = marked + 1 + page.length < all.length && last !== undefined;
  return xmlAnswer(
    document("ListVersionsResult", [
      element("Name", bucket.name),
      element("Prefix", shown(prefix)),
      element("KeyMarker", shown(keyMarker)),
      element("VersionIdMarker", versionMarker),
      ...(isTruncated
        ? [element("NextKeyMarker", shown(last.key)), element("NextVersionIdMarker", last.versionId)]
        : []),
      element("MaxKeys", most),
      ...(query.has("encoding-type") ? [element("EncodingType", "url")] : []),
      element("IsTruncated", isTruncated),
      ...page.map(({ key, isLatest, versionId, modified, object }) =>
        element(object === undefined ? "DeleteMarker" : "Version", [
          element("Key", shown(key)),
          element("VersionId", versionId),
          element("IsLatest", isLatest),
          element("LastModified", modified.toISOString()),
          ...(object === undefined
            ? []
            : [element("ETag", object.etag), element("Size", object.size), element("StorageClass", "STANDARD")]),
        ]),
      ),
    ]),
  );
}
