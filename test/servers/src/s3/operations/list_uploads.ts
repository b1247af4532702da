import type { Answer } from "../answer.ts";
import { xmlAnswer } from "../answer.ts";
import type { BucketContext, KeyContext } from "../context.ts";
import { invalidArgument } from "../s3_error.ts";
import { document, element } from "../xml.ts";
import { encodingOf, keysInOrder, maxKeysOf } from "./list_objects.ts";

/** By key, then by the time of their beginning. */
export async function listMultipartUploads({ bucket, call }: BucketContext): Promise<Answer> {
  const { query } = call;
  const prefix = query.get("prefix") ?? "";
  const keyMarker = query.get("key-marker") ?? "";
  const idMarker = query.get("upload-id-marker") ?? "";
  const most = maxKeysOf(query.get("max-uploads"));
  const shown = encodingOf(query.get("encoding-type"));
  const all = [...bucket.uploads.values()];
  const uploads = keysInOrder(new Set(all.map(({ key }) => key)))
    .filter((key) => key.startsWith(prefix))
    .flatMap((key) => all.filter((each) => each.key === key));
  const first = uploads.findIndex(({ key, id }) => key === keyMarker && (idMarker === "" || id === idMarker));
  const page = uploads.slice(first + 1, first + 1 + most);
  const last = page.at(-1);
  return xmlAnswer(
    document("ListMultipartUploadsResult", [
      element("Bucket", bucket.name),
      element("KeyMarker", shown(keyMarker)),
      element("UploadIdMarker", idMarker),
      element("NextKeyMarker", shown(last?.key ?? "")),
      element("NextUploadIdMarker", last?.id ?? ""),
      element("Prefix", shown(prefix)),
      ...(query.has("encoding-type") ? [element("EncodingType", "url")] : []),
      element("MaxUploads", most),
      element("IsTruncated", first + 1 + page.length < uploads.length),
      ...page.map(({ key, id, initiated }) =>
        element("Upload", [
          element("Key", shown(key)),
          element("UploadId", id),
          element("StorageClass", "STANDARD"),
          element("Initiated", initiated.toISOString()),
        ]),
      ),
    ]),
  );
}

export async function listParts({ bucket, call, key }: KeyContext): Promise<Answer> {
  const { query } = call;
  const upload = bucket.upload(query.get("uploadId") ?? "", key);
  const marker = query.get("part-number-marker") ?? "0";
  if (!/^\d{1,5}$/.test(marker))
    throw invalidArgument(
      "part-number-marker",
      marker,
      "Provided part-number-marker not an integer or within integer range",
    );
  const most = maxKeysOf(query.get("max-parts"));
  const after = [...upload.parts].sort(([left], [right]) => left - right).filter(([number]) => number > Number(marker));
  const page = after.slice(0, most);
  return xmlAnswer(
    document("ListPartsResult", [
      element("Bucket", bucket.name),
      element("Key", key),
      element("UploadId", upload.id),
      element("StorageClass", "STANDARD"),
      element("PartNumberMarker", marker),
      element("NextPartNumberMarker", page.at(-1)?.[0] ?? 0),
      element("MaxParts", most),
      element("IsTruncated", page.length < after.length),
      ...page.map(([number, { md5, size, modified, checksum }]) =>
        element("Part", [
          element("PartNumber", number),
          element("LastModified", modified.toISOString()),
          element("ETag", `"${md5}"`),
          element("Size", size),
          ...(checksum === undefined ? [] : [element(`Checksum${checksum.algorithm}`, checksum.value)]),
        ]),
      ),
    ]),
  );
}
