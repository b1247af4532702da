import { createHash, createHmac } from "node:crypto";
import type { Call } from "../call.ts";

/** Scope of a signature: `20260101/us-east-1/s3/aws4_request`. */
export interface Scope {
  date: string;
  region: string;
}

export const ALGORITHM = "AWS4-HMAC-SHA256";

export function scopeText({ date, region }: Scope): string {
  return `${date}/${region}/s3/aws4_request`;
}

export function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

/** The signing key of one day, region and service. */
export function signingKey(secret: string, { date, region }: Scope): Buffer {
  return [date, region, "s3", "aws4_request"].reduce<Buffer>(
    (key, part) => createHmac("sha256", key).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  );
}

export function signatureOf(key: Buffer, stringToSign: string): string {
  return createHmac("sha256", key).update(stringToSign).digest("hex");
}

/** Canonical request that a client must have signed, from the received request. */
export function canonicalRequest(call: Call, signedHeaders: readonly string[], payloadHash: string): string {
  const query = [...call.query]
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  const headers = signedHeaders.map((name) => `${name}:${valueOf(call, name)}\n`).join("");
  const path = call.path.split("/").map(encoded).join("/");
  return [call.method, path, query, headers, signedHeaders.join(";"), payloadHash].join("\n");
}

function valueOf(call: Call, name: string): string {
  const value = call.request.headers[name] ?? "";
  return (Array.isArray(value) ? value.join(",") : value).trim().replace(/ +/g, " ");
}

/** Encoding of RFC 3986: all except letters, digits and `-._~`. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}
