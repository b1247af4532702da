import type { Answer } from "./answer.ts";
import { ALGORITHMS, headerOf } from "./body/checksums.ts";
import type { Call } from "./call.ts";
import type { BucketContext, Context, KeyContext } from "./context.ts";
import { headBucket, listBuckets } from "./operations/buckets.ts";
import { completeMultipartUpload } from "./operations/complete_multipart.ts";
import { deleteObjects } from "./operations/delete_objects.ts";
import { listObjects } from "./operations/list_objects.ts";
import { listMultipartUploads, listParts } from "./operations/list_uploads.ts";
import { abortMultipartUpload, createMultipartUpload, uploadPart } from "./operations/multipart.ts";
import { putObjectLegalHold } from "./operations/object_lock.ts";
import { getObject, headObject } from "./operations/read_object.ts";
import { getBucketVersioning, listObjectVersions, putBucketVersioning } from "./operations/versions.ts";
import { deleteObject, putObject } from "./operations/write_object.ts";
import { notImplemented, S3Error } from "./s3_error.ts";

/** A kind of request: its name, its parameters and headers, and its operation. */
export interface Route {
  name: string;
  on: "service" | "bucket" | "key";
  method: string;
  /** Parameters that distinguish it from other requests of that method. */
  query: readonly string[];
  /** Optional parameters that it supports. */
  optional: readonly string[];
  /** Headers that it supports, in addition to those of every request. */
  headers: readonly string[];
  run: (context: never) => Promise<Answer>;
}

const BODY = [
  "content-md5",
  "x-amz-decoded-content-length",
  "x-amz-trailer",
  "x-amz-sdk-checksum-algorithm",
  "content-encoding",
  "transfer-encoding",
  ...ALGORITHMS.map(headerOf),
];
const NEW = ["x-amz-meta-"];
const CONDITIONS = ["if-match", "if-none-match"];
const READ = ["if-match", "range", "x-amz-checksum-mode"];
const LIST = ["prefix", "encoding-type"];
const LIST_KEYS = [...LIST, "delimiter", "max-keys", "continuation-token", "start-after"];
const LIST_VERSIONS = [...LIST, "max-keys", "key-marker", "version-id-marker"];
const LIST_UPLOADS = [...LIST, "key-marker", "upload-id-marker", "max-uploads"];
const CREATE = [...NEW, "x-amz-checksum-algorithm", "x-amz-checksum-type"];

const onKey = route<KeyContext>("key");
const onBucket = route<BucketContext>("bucket");
const ROUTES: readonly Route[] = [
  route<Context>("service")("ListBuckets", "GET", [], [], [], listBuckets),
  onBucket("HeadBucket", "HEAD", [], [], [], headBucket),
  onBucket("ListObjectsV2", "GET", ["list-type"], LIST_KEYS, [], listObjects),
  onBucket("ListMultipartUploads", "GET", ["uploads"], LIST_UPLOADS, [], listMultipartUploads),
  onBucket("ListObjectVersions", "GET", ["versions"], LIST_VERSIONS, [], listObjectVersions),
  onBucket("GetBucketVersioning", "GET", ["versioning"], [], [], getBucketVersioning),
  onBucket("PutBucketVersioning", "PUT", ["versioning"], [], BODY, putBucketVersioning),
  onBucket("DeleteObjects", "POST", ["delete"], [], BODY, deleteObjects),
  onKey("UploadPart", "PUT", ["partNumber", "uploadId"], [], BODY, uploadPart),
  onKey("PutObjectLegalHold", "PUT", ["legal-hold"], ["versionId"], BODY, putObjectLegalHold),
  onKey("PutObject", "PUT", [], [], [...BODY, ...NEW, ...CONDITIONS], putObject),
  onKey("ListParts", "GET", ["uploadId"], ["max-parts", "part-number-marker"], [], listParts),
  onKey("GetObject", "GET", [], ["versionId"], READ, getObject),
  onKey("HeadObject", "HEAD", [], ["versionId"], READ, headObject),
  onKey("AbortMultipartUpload", "DELETE", ["uploadId"], [], [], abortMultipartUpload),
  onKey("DeleteObject", "DELETE", [], ["versionId"], ["x-amz-bypass-governance-retention"], deleteObject),
  onKey("CreateMultipartUpload", "POST", ["uploads"], [], CREATE, createMultipartUpload),
  onKey("CompleteMultipartUpload", "POST", ["uploadId"], [], [...BODY, ...CONDITIONS], completeMultipartUpload),
];

function route<Where extends Context>(on: Route["on"]) {
  return (
    name: string,
    method: string,
    query: readonly string[],
    optional: readonly string[],
    headers: readonly string[],
    run: (context: Where) => Promise<Answer>,
  ): Route => ({ name, on, method, query, optional, headers, run });
}

/** @throws S3Error for unsupported requests, parameters and headers. */
export function routeOf(call: Call): Route {
  const on = call.key !== undefined ? "key" : call.bucket !== undefined ? "bucket" : "service";
  const found = ROUTES.find(
    (each) => each.on === on && each.method === call.method && each.query.every((name) => call.query.has(name)),
  );
  if (found === undefined) {
    if (!["GET", "HEAD", "PUT", "POST", "DELETE"].includes(call.method))
      throw new S3Error(405, "MethodNotAllowed", "The specified method is not allowed against this resource.", {
        Method: call.method,
      });
    throw notImplemented(
      `${call.method} of this ${on} with the parameters ${[...call.query.keys()].join(", ") || "(none)"}`,
    );
  }
  // The SDK puts the name of the operation there.
  const parameters = [...found.query, ...found.optional, "x-id"];
  for (const name of call.query.keys())
    if (!parameters.includes(name)) throw notImplemented(`the parameter ${name} of ${found.name}`);
  if (found.name === "ListObjectsV2" && call.query.get("list-type") !== "2")
    throw notImplemented("another list-type than 2");
  return found;
}
