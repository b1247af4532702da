import { readFile } from "node:fs/promises";
import type { Answer } from "../answer.ts";
import { xmlAnswer } from "../answer.ts";
import { ALGORITHMS, headerOf } from "../body/checksums.ts";
import { header } from "../call.ts";
import type { BucketContext } from "../context.ts";
import { notImplemented, S3Error } from "../s3_error.ts";
import { childText, document, element, parseXml } from "../xml.ts";

export async function deleteObjects(context: BucketContext): Promise<Answer> {
  const { call, bucket } = context;
  const protectedBy = ["content-md5", "x-amz-trailer", ...ALGORITHMS.map(headerOf)];
  if (!protectedBy.some((name) => header(call, name) !== undefined))
    throw new S3Error(
      400,
      "InvalidRequest",
      "Missing required header for this request: Content-MD5 OR x-amz-checksum-*",
    );
  const { file } = await context.receive();
  const root = parseXml(await readFile(file, "utf8"));
  if (root?.name !== "Delete") throw malformedXml();
  const quiet = childText(root, "Quiet") === "true";
  const objects = root.children.filter(({ name }) => name === "Object");
  if (objects.length === 0 || objects.length > 1000) throw malformedXml();
  const keys = objects.map((object) => {
    if (object.children.some(({ name }) => name !== "Key"))
      throw notImplemented("DeleteObjects with versions or conditions");
    const key = childText(object, "Key");
    if (key === undefined || key === "") throw malformedXml();
    return key;
  });
  const deleted = keys.map((key) => {
    const marker = bucket.delete(key, context.now());
    return element("Deleted", [
      element("Key", key),
      ...(marker === undefined
        ? []
        : [element("DeleteMarker", true), element("DeleteMarkerVersionId", marker.versionId)]),
    ]);
  });
  return xmlAnswer(document("DeleteResult", quiet ? [] : deleted));
}

export function malformedXml(): S3Error {
  return new S3Error(
    400,
    "MalformedXML",
    "The XML you provided was not well-formed or did not validate against our published schema",
  );
}
