import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Answer } from "../answer.ts";
import { xmlAnswer } from "../answer.ts";
import { newSum } from "../body/checksums.ts";
import type { Received } from "../body/receive.ts";
import type { KeyContext } from "../context.ts";
import { S3Error } from "../s3_error.ts";
import type { StoredObject, StoredUpload } from "../state.ts";
import { childText, document, element, parseXml } from "../xml.ts";
import { malformedXml } from "./delete_objects.ts";
import { writePreconditions } from "./preconditions.ts";
import { versionHeader } from "./versions.ts";

const LEAST_PART = 5 * 2 ** 20;

/** A part in the client's list. */
interface NamedPart {
  number: number;
  etag: string;
  checksum: string | undefined;
}

export async function completeMultipartUpload(context: KeyContext): Promise<Answer> {
  const { call, bucket, key } = context;
  const id = call.query.get("uploadId") ?? "";
  const upload = bucket.upload(id, key);
  const assertConditions = writePreconditions(context);
  const { file } = await context.receive();
  const parts = partsOf(await readFile(file, "utf8"), upload);
  bucket.upload(id, key);
  assertConditions();
  const etag = `"${createHash("md5")
    .update(Buffer.concat(parts.map(({ md5 }) => Buffer.from(md5, "hex"))))
    .digest("hex")}-${parts.length}"`;
  const checksum = compositeOf(upload, parts);
  const stored = bucket.put(key, {
    pieces: parts,
    size: parts.reduce((sum, { size }) => sum + size, 0),
    etag,
    contentType: upload.contentType,
    metadata: upload.metadata,
    modified: context.now(),
    checksum,
  });
  bucket.uploads.delete(id);
  const answer = xmlAnswer(
    document("CompleteMultipartUploadResult", [
      element("Location", `http://${call.request.headers.host ?? ""}${call.rawPath}`),
      element("Bucket", bucket.name),
      element("Key", key),
      element("ETag", etag),
      ...(checksum === undefined
        ? []
        : [element(`Checksum${checksum.algorithm}`, checksum.value), element("ChecksumType", checksum.type)]),
    ]),
  );
  return { ...answer, headers: { ...answer.headers, ...versionHeader(bucket, stored.versionId) } };
}

/** @throws S3Error if a part is missing, different, too small, or out of order. */
function partsOf(text: string, upload: StoredUpload): Received[] {
  const named = namedParts(text, upload);
  if (named.some(({ number }, index) => number <= (named[index - 1]?.number ?? 0)))
    throw new S3Error(
      400,
      "InvalidPartOrder",
      "The list of parts was not in ascending order. Parts must be ordered by part number.",
      { UploadId: upload.id },
    );
  const parts = named.map((name) => {
    const part = upload.parts.get(name.number);
    const right =
      part !== undefined && part.md5 === name.etag && (name.checksum ?? part.checksum?.value) === part.checksum?.value;
    if (!right)
      throw new S3Error(
        400,
        "InvalidPart",
        "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
        { UploadId: upload.id, PartNumber: String(name.number), ETag: name.etag },
      );
    if (upload.algorithm !== undefined && name.checksum === undefined)
      throw new S3Error(
        400,
        "InvalidRequest",
        `The upload was created using a ${upload.algorithm.toLowerCase()} checksum. The complete request must include the checksum for each part. It was missing for part ${name.number} in the request.`,
      );
    return { ...part, number: name.number };
  });
  const small = parts.slice(0, -1).find(({ size }) => size < LEAST_PART);
  if (small !== undefined)
    throw new S3Error(400, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size", {
      ProposedSize: String(small.size),
      MinSizeAllowed: String(LEAST_PART),
      PartNumber: String(small.number),
      ETag: small.md5,
    });
  return parts;
}

function namedParts(text: string, { algorithm, parts }: StoredUpload): NamedPart[] {
  const root = parseXml(text);
  if (root?.name !== "CompleteMultipartUpload" || root.children.length === 0) throw malformedXml();
  return root.children.map((part) => {
    const number = childText(part, "PartNumber") ?? "";
    const etag = childText(part, "ETag");
    // Parts may have checksums that the upload did not declare.
    const sum = algorithm ?? parts.get(Number(number))?.checksum?.algorithm;
    const known = ["PartNumber", "ETag", ...(sum === undefined ? [] : [`Checksum${sum}`])];
    if (part.name !== "Part" || !/^\d{1,5}$/.test(number) || etag === undefined) throw malformedXml();
    if (part.children.some(({ name }) => !known.includes(name))) throw malformedXml();
    return {
      number: Number(number),
      etag: etag.replaceAll('"', ""),
      checksum: sum === undefined ? undefined : childText(part, `Checksum${sum}`),
    };
  });
}

/** A checksum of the parts' checksums, with their number. */
function compositeOf({ algorithm }: StoredUpload, parts: readonly Received[]): StoredObject["checksum"] {
  if (algorithm === undefined) return undefined;
  const sum = newSum(algorithm);
  for (const { checksum } of parts) sum.update(Buffer.from(checksum?.value ?? "", "base64"));
  return { algorithm, value: `${sum.digest().toString("base64")}-${parts.length}`, type: "COMPOSITE" };
}
