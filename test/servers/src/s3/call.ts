import type { IncomingMessage } from "node:http";
import { S3Error } from "./s3_error.ts";

/** A request, with its parsed path and query. */
export interface Call {
  request: IncomingMessage;
  method: string;
  /** The path as it was sent; `path` is decoded. */
  rawPath: string;
  path: string;
  /** Undefined for the list of all buckets. */
  bucket: string | undefined;
  key: string | undefined;
  query: ReadonlyMap<string, string>;
}

export function callOf(request: IncomingMessage, host: string): Call {
  const target = request.url ?? "";
  const mark = target.indexOf("?");
  const rawPath = mark < 0 ? target : target.slice(0, mark);
  // A proxy has its own port. A prefix of the address would be a bucket.
  if (request.headers.host !== host && !/^127\.0\.0\.1(?::\d+)?$/.test(request.headers.host ?? ""))
    throw new S3Error(
      400,
      "InvalidRequest",
      `This test server supports path style only (http://${host}/bucket/key), not the host ${request.headers.host}.`,
    );
  const path = decoded(rawPath);
  const slash = path.indexOf("/", 1);
  const bucket = slash < 0 ? path.slice(1) : path.slice(1, slash);
  const key = slash < 0 ? "" : path.slice(slash + 1);
  if (Buffer.byteLength(key) > 1024)
    throw new S3Error(400, "KeyTooLongError", "Your key is too long", {
      Size: String(Buffer.byteLength(key)),
      MaxSizeAllowed: "1024",
    });
  return {
    request,
    method: request.method ?? "",
    rawPath,
    path,
    bucket: bucket === "" ? undefined : bucket,
    key: key === "" ? undefined : key,
    query: mark < 0 ? new Map() : queryOf(target.slice(mark + 1)),
  };
}

function queryOf(text: string): Map<string, string> {
  const query = new Map<string, string>();
  for (const pair of text.split("&").filter((each) => each !== "")) {
    const [name = "", ...value] = pair.split("=");
    if (query.has(decoded(name))) throw new S3Error(400, "InvalidArgument", `The parameter ${name} came twice.`);
    query.set(decoded(name), decoded(value.join("=")));
  }
  return query;
}

/** A plus sign is kept: SDKs send %20 for a space. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error(400, "InvalidURI", "Couldn't parse the specified URI.");
  }
}

/** A header that may occur once. */
export function header(call: Call, name: string): string | undefined {
  const value = call.request.headers[name];
  return Array.isArray(value) ? value.join(",") : value;
}
