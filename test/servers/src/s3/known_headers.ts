import type { Call } from "./call.ts";
import type { Route } from "./routes.ts";
import { notImplemented } from "./s3_error.ts";

/** Headers of every request: those of HTTP, those of signatures, and those by which SDKs identify themselves. */
const ALWAYS =
  "host connection user-agent accept accept-encoding accept-language sec-fetch-mode content-length content-type date expect " +
  "authorization x-amz-date x-amz-content-sha256 x-amz-security-token amz-sdk-invocation-id amz-sdk-request x-amz-user-agent";

/** @throws S3Error for a header that may request a feature, which would then silently be ignored. */
export function assertHeadersKnown(call: Call, { name, headers }: Route): void {
  for (const header of Object.keys(call.request.headers)) {
    const known = [...ALWAYS.split(" "), ...headers].some((each) =>
      each.endsWith("-") ? header.startsWith(each) : header === each,
    );
    if (!known) throw notImplemented(`the header ${header} of ${name}`);
  }
  const encoding = call.request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "aws-chunked") throw notImplemented(`Content-Encoding: ${encoding}`);
}
