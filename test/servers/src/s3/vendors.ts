import type { Call } from "./call.ts";
import { S3Error } from "./s3_error.ts";

/** Requests that a store with S3's interface refuses, and its answer. */
export interface Vendor {
  name: string;
  /** The page or the program that states the answer. */
  source: string;
  /** The answer to a request with a header of this name and value, if it is refused. */
  refusal(header: string, value: string): { status: number; code: string; message: string } | undefined;
}

const isChecksum = (header: string): boolean => /^x-amz-(?:sdk-)?checksum-|^x-amz-trailer$/.test(header);
const isChunked = (header: string, value: string): boolean =>
  header === "x-amz-content-sha256" && value.startsWith("STREAMING-");

/** Stores by what they refuse of the requests of Amazon's SDK. */
export const VENDORS: readonly Vendor[] = [
  {
    name: "Amazon S3, MinIO and Ceph from Squid on",
    source: "they accept checksums and chunked bodies",
    refusal: () => undefined,
  },
  {
    name: "Backblaze B2",
    source: "https://github.com/vatesfr/xen-orchestra/issues/8358",
    refusal: (header) =>
      isChecksum(header)
        ? {
            status: 400,
            code: "InvalidArgument",
            message: `Unsupported header '${header}' received for this API call.`,
          }
        : undefined,
  },
  {
    name: "Cloudflare R2",
    source: "https://github.com/cloudflare/cloudflare-docs/pull/19236",
    refusal: (header, value) =>
      (isChecksum(header) && header !== "x-amz-checksum-mode") || isChunked(header, value)
        ? { status: 501, code: "NotImplemented", message: `Header '${header}' with value '${value}' not implemented` }
        : undefined,
  },
  {
    name: "Google Cloud Storage in S3 mode",
    source: "https://github.com/milvus-io/milvus-storage/pull/480, https://github.com/aws/aws-sdk-go-v2/issues/1816",
    refusal: (header, value) => {
      if (isChecksum(header) && header !== "x-amz-checksum-mode")
        return {
          status: 400,
          code: "ExcessHeaderValues",
          message: "Multiple HTTP header values where one was expected.",
        };
      // Google changes this header on its way to the server that checks the signature.
      return header === "authorization" && /SignedHeaders=[^,]*\baccept-encoding\b/.test(value)
        ? {
            status: 403,
            code: "SignatureDoesNotMatch",
            message: "Access denied. The request signature we calculated does not match the signature you provided.",
          }
        : undefined;
    },
  },
  {
    name: "OpenStack Swift",
    source: "https://github.com/openstack/swift, swift/common/middleware/s3api/s3request.py",
    refusal: (header, value) =>
      isChunked(header, value)
        ? {
            status: 501,
            code: "NotImplemented",
            message: "Transfering payloads in multiple chunks using aws-chunked is not supported.",
          }
        : undefined,
  },
];

/** @throws S3Error for a request that the vendor refuses. */
export function assertAccepted({ request }: Call, vendor: Vendor | undefined): void {
  for (const [header, value] of Object.entries(request.headers)) {
    const refused = vendor?.refusal(header, String(value));
    if (refused !== undefined) throw new S3Error(refused.status, refused.code, refused.message);
  }
}
