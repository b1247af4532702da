import { timingSafeEqual } from "node:crypto";
import type { Call } from "../call.ts";
import { header } from "../call.ts";
import { notImplemented, S3Error } from "../s3_error.ts";
import { parsedAuthorization } from "./authorization.ts";
import { ALGORITHM, canonicalRequest, scopeText, sha256, signatureOf, signingKey } from "./signature.ts";

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Input of the chunk signatures of a body, each of which continues the previous one. */
export interface Seed {
  key: Buffer;
  amzDate: string;
  scope: string;
  signature: string;
}

const MOST_SKEW = 15 * 60_000;

/** @throws S3Error unless the request is signed with these credentials in this form at this time. */
export function authenticate(call: Call, credentials: S3Credentials, region: string, now: Date): Seed {
  if (call.query.has("X-Amz-Signature") || call.query.has("Signature")) throw notImplemented("presigned URLs");
  const authorization = header(call, "authorization");
  if (authorization === undefined) throw new S3Error(403, "AccessDenied", "Access Denied");
  const { accessKeyId, scope, signedHeaders, signature } = parsedAuthorization(authorization, region);
  const amzDate = header(call, "x-amz-date") ?? "";
  assertTime(amzDate, now);
  if (!amzDate.startsWith(scope.date)) throw mismatch("The date of the credential differs from x-amz-date.", {});
  if (accessKeyId !== credentials.accessKeyId)
    throw new S3Error(403, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.", {
      AWSAccessKeyId: accessKeyId,
    });
  if (header(call, "x-amz-security-token") !== credentials.sessionToken)
    throw new S3Error(400, "InvalidToken", "The provided token is malformed or otherwise invalid.");
  const payloadHash = header(call, "x-amz-content-sha256");
  if (payloadHash === undefined)
    throw new S3Error(400, "InvalidRequest", "Missing required header for this request: x-amz-content-sha256");
  assertAllSigned(call, signedHeaders);
  const key = signingKey(credentials.secretAccessKey, scope);
  const canonical = canonicalRequest(call, signedHeaders, payloadHash);
  const stringToSign = [ALGORITHM, amzDate, scopeText(scope), sha256(canonical)].join("\n");
  const expected = signatureOf(key, stringToSign);
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(signature)))
    throw mismatch(
      "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
      {
        AWSAccessKeyId: accessKeyId,
        StringToSign: stringToSign,
        SignatureProvided: signature,
        CanonicalRequest: canonical,
      },
    );
  return { key, amzDate, scope: scopeText(scope), signature };
}

export function mismatch(message: string, details: Record<string, string>): S3Error {
  return new S3Error(403, "SignatureDoesNotMatch", message, details);
}

function assertTime(amzDate: string, now: Date): void {
  const [whole, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(amzDate) ?? [];
  if (whole === undefined)
    throw new S3Error(403, "AccessDenied", "AWS authentication requires a valid Date or x-amz-date header");
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Math.abs(time - now.getTime()) > MOST_SKEW)
    throw new S3Error(
      403,
      "RequestTimeTooSkewed",
      "The difference between the request time and the current time is too large.",
      {
        RequestTime: amzDate,
        ServerTime: now.toISOString().replace(/\.\d+Z$/, "Z"),
        MaxAllowedSkewMilliseconds: String(MOST_SKEW),
      },
    );
}

/** Requires signatures of all sensitive headers: a proxy could change unsigned ones. */
function assertAllSigned(call: Call, signedHeaders: readonly string[]): void {
  const unsigned = Object.keys(call.request.headers).filter(
    (name) => (name === "host" || name === "content-md5" || name.startsWith("x-amz-")) && !signedHeaders.includes(name),
  );
  if (unsigned.length > 0)
    throw new S3Error(403, "AccessDenied", "There were headers present in the request which were not signed", {
      HeadersNotSigned: unsigned.join(", "),
    });
}
