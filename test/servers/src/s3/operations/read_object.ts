import type { Answer, FileRange } from "../answer.ts";
import { headerOf } from "../body/checksums.ts";
import { header } from "../call.ts";
import type { KeyContext } from "../context.ts";
import { invalidArgument, notImplemented, S3Error } from "../s3_error.ts";
import type { StoredObject } from "../state.ts";
import { metadataHeaders } from "./metadata.ts";
import { lockHeaders } from "./object_lock.ts";
import { assertReadCondition } from "./preconditions.ts";
import { versionHeader, versionOf } from "./versions.ts";

export async function getObject(context: KeyContext): Promise<Answer> {
  const object = versionOf(context);
  assertReadCondition(context, object);
  const range = rangeOf(header(context.call, "range"), object.size);
  if (range === undefined)
    return {
      status: 200,
      headers: { ...headersOf(context, object, true), "content-length": object.size },
      body: piecesOf(object, 0, object.size),
    };
  const { start, length } = range;
  return {
    status: 206,
    headers: {
      ...headersOf(context, object, false),
      "content-length": length,
      "content-range": `bytes ${start}-${start + length - 1}/${object.size}`,
    },
    body: piecesOf(object, start, length),
  };
}

export async function headObject(context: KeyContext): Promise<Answer> {
  const object = versionOf(context);
  if (header(context.call, "range") !== undefined) throw notImplemented("HEAD with a range");
  assertReadCondition(context, object);
  return { status: 200, headers: { ...headersOf(context, object, true), "content-length": object.size } };
}

function headersOf({ call, bucket }: KeyContext, object: StoredObject, whole: boolean): Record<string, string> {
  const mode = header(call, "x-amz-checksum-mode");
  if (mode !== undefined && mode !== "ENABLED")
    throw invalidArgument("x-amz-checksum-mode", mode, "Value for x-amz-checksum-mode header is invalid.");
  const { checksum } = object;
  return {
    etag: object.etag,
    "last-modified": object.modified.toUTCString(),
    "accept-ranges": "bytes",
    "content-type": object.contentType,
    ...metadataHeaders(object.metadata),
    ...versionHeader(bucket, object.versionId),
    ...lockHeaders(object),
    // A checksum of the whole object does not apply to a range.
    ...(mode === undefined || checksum === undefined || !whole
      ? {}
      : { [headerOf(checksum.algorithm)]: checksum.value, "x-amz-checksum-type": checksum.type }),
  };
}

/** @returns Undefined for the whole object: also for an invalid range of bytes, which HTTP ignores. */
function rangeOf(text: string | undefined, size: number): { start: number; length: number } | undefined {
  const [whole, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(text ?? "") ?? [];
  if (text?.includes(",") === true) throw notImplemented("several ranges");
  if (whole === undefined || (first === "" && last === "")) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  if (start > end)
    throw new S3Error(
      416,
      "InvalidRange",
      "The requested range is not satisfiable",
      { RangeRequested: text ?? "", ActualObjectSize: String(size) },
      { "content-range": `bytes */${size}` },
    );
  return { start, length: end - start + 1 };
}

function piecesOf(object: StoredObject, start: number, length: number): FileRange[] {
  const ranges: FileRange[] = [];
  let skip = start;
  let left = length;
  for (const { file, size } of object.pieces) {
    const taken = Math.min(Math.max(0, size - skip), left);
    if (taken > 0) ranges.push({ file, start: skip, length: taken });
    skip = Math.max(0, skip - size);
    left -= taken;
  }
  return ranges;
}
