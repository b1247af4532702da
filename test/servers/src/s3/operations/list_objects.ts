import type { Answer } from "../answer.ts";
import { xmlAnswer } from "../answer.ts";
import type { BucketContext } from "../context.ts";
import { invalidArgument } from "../s3_error.ts";
import type { Bucket } from "../state.ts";
import { document, element } from "../xml.ts";
import type { Xml } from "../xml.ts";

const MOST_KEYS = 1000;

/** ListObjectsV2. */
export async function listObjects({ bucket, call }: BucketContext): Promise<Answer> {
  const { query } = call;
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const token = query.get("continuation-token");
  const startAfter = query.get("start-after");
  const most = maxKeysOf(query.get("max-keys"));
  const shown = encodingOf(query.get("encoding-type"));
  const page = pageOf(bucket, prefix, delimiter, positionOf(token) ?? { after: startAfter ?? "", group: false }, most);
  return xmlAnswer(
    document("ListBucketResult", [
      element("Name", bucket.name),
      element("Prefix", shown(prefix)),
      ...(delimiter === "" ? [] : [element("Delimiter", shown(delimiter))]),
      element("MaxKeys", most),
      ...(query.has("encoding-type") ? [element("EncodingType", "url")] : []),
      element("KeyCount", page.rows.length),
      element("IsTruncated", page.next !== undefined),
      ...(token === undefined ? [] : [element("ContinuationToken", token)]),
      ...(startAfter === undefined ? [] : [element("StartAfter", shown(startAfter))]),
      ...(page.next === undefined ? [] : [element("NextContinuationToken", page.next)]),
      ...page.rows.map((row) => rowElement(row, bucket, shown)),
    ]),
  );
}

interface Row {
  /** A key, or a common prefix of several keys. */
  text: string;
  group: boolean;
}

interface Position {
  after: string;
  /** True if all keys with this prefix have been listed. */
  group: boolean;
}

function pageOf(
  bucket: Bucket,
  prefix: string,
  delimiter: string,
  from: Position,
  most: number,
): { rows: Row[]; next?: string } {
  const rows: Row[] = [];
  for (const key of keysInOrder(bucket.objects.keys())) {
    if (!key.startsWith(prefix) || compareBytes(key, from.after) <= 0 || (from.group && key.startsWith(from.after)))
      continue;
    const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    const row = end < 0 ? { text: key, group: false } : { text: key.slice(0, end + delimiter.length), group: true };
    const last = rows.at(-1);
    if (row.group && last?.text === row.text) continue;
    if (most === 0) return { rows };
    if (last !== undefined && rows.length === most) return { rows, next: tokenOf(last) };
    rows.push(row);
  }
  return { rows };
}

/** In the order of UTF-8, which differs from that of UTF-16. */
export function keysInOrder(keys: Iterable<string>): string[] {
  return [...keys].sort(compareBytes);
}

function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

function rowElement({ text, group }: Row, bucket: Bucket, shown: (text: string) => string): Xml {
  if (group) return element("CommonPrefixes", [element("Prefix", shown(text))]);
  const { modified, etag, size, checksum } = bucket.object(text);
  return element("Contents", [
    element("Key", shown(text)),
    element("LastModified", modified.toISOString()),
    element("ETag", etag),
    ...(checksum === undefined
      ? []
      : [element("ChecksumAlgorithm", checksum.algorithm), element("ChecksumType", checksum.type)]),
    element("Size", size),
    element("StorageClass", "STANDARD"),
  ]);
}

export function maxKeysOf(text: string | undefined): number {
  if (text === undefined) return MOST_KEYS;
  if (!/^\d{1,10}$/.test(text))
    throw invalidArgument("max-keys", text, "Provided max-keys not an integer or within integer range");
  return Math.min(Number(text), MOST_KEYS);
}

/** Encoding of names in the answer. */
export function encodingOf(type: string | undefined): (text: string) => string {
  if (type === undefined) return (text) => text;
  if (type !== "url") throw invalidArgument("encoding-type", type, "Invalid Encoding Method specified in Request");
  return (text) =>
    encodeURIComponent(text)
      .replace(/[!'()]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
      .replaceAll("%2F", "/")
      .replaceAll("%20", "+");
}

function tokenOf({ text, group }: Row): string {
  return Buffer.from(JSON.stringify({ after: text, group })).toString("base64");
}

function positionOf(token: string | undefined): Position | undefined {
  if (token === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(token, "base64").toString()) as Position;
  } catch {
    throw invalidArgument("continuation-token", token, "The continuation token provided is incorrect");
  }
}
