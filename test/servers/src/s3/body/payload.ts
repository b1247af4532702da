import type { Call } from "../call.ts";
import { header } from "../call.ts";
import { S3Error } from "../s3_error.ts";

/** Encoding of a body according to its headers. */
export interface Payload {
  /** Number of bytes of the object. */
  length: number;
  /** The signed SHA-256, if there is one. */
  hash: string | undefined;
  chunked: boolean;
  signedChunks: boolean;
  /** Name of the announced trailer. */
  trailer: string | undefined;
}

const STREAMING = new Map([
  ["STREAMING-AWS4-HMAC-SHA256-PAYLOAD", { signed: true, trailer: false }],
  ["STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", { signed: true, trailer: true }],
  ["STREAMING-UNSIGNED-PAYLOAD-TRAILER", { signed: false, trailer: true }],
]);

/** @throws S3Error for contradictory headers. */
export function payloadOf(call: Call): Payload {
  const hash = header(call, "x-amz-content-sha256") ?? "";
  const trailer = header(call, "x-amz-trailer");
  const streaming = STREAMING.get(hash);
  const encodings = (header(call, "content-encoding") ?? "").split(",").map((each) => each.trim());
  if (streaming === undefined) {
    if (hash !== "UNSIGNED-PAYLOAD" && !/^[0-9a-f]{64}$/.test(hash))
      throw new S3Error(
        400,
        "InvalidArgument",
        "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a valid sha256 value.",
        { ArgumentName: "x-amz-content-sha256", ArgumentValue: hash },
      );
    if (trailer !== undefined)
      throw new S3Error(400, "InvalidRequest", "x-amz-trailer is only allowed with a streaming payload.");
    if (encodings.includes("aws-chunked"))
      throw new S3Error(400, "InvalidRequest", "aws-chunked is only allowed with a streaming payload.");
    if (header(call, "transfer-encoding") !== undefined)
      throw new S3Error(501, "NotImplemented", "A header you provided implies functionality that is not implemented", {
        Header: "Transfer-Encoding",
      });
    const length = lengthOf(call, "content-length");
    return {
      length,
      hash: hash === "UNSIGNED-PAYLOAD" ? undefined : hash,
      chunked: false,
      signedChunks: false,
      trailer,
    };
  }
  if (streaming.trailer !== (trailer !== undefined))
    throw new S3Error(400, "InvalidRequest", `x-amz-trailer is not allowed with x-amz-content-sha256: ${hash}.`);
  const length = lengthOf(call, "x-amz-decoded-content-length");
  return { length, hash: undefined, chunked: true, signedChunks: streaming.signed, trailer };
}

function lengthOf(call: Call, name: string): number {
  const text = header(call, name);
  if (text === undefined)
    throw new S3Error(411, "MissingContentLength", "You must provide the Content-Length HTTP header.");
  if (!/^\d{1,15}$/.test(text)) throw new S3Error(400, "InvalidArgument", `${name} is not a number.`);
  if (Number(text) > 5 * 2 ** 30)
    throw new S3Error(400, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size", {
      ProposedSize: text,
      MaxSizeAllowed: String(5 * 2 ** 30),
    });
  return Number(text);
}
