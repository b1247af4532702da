import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { S3Error } from "../s3_error.ts";
import { Crc32c } from "./crc32c.ts";

/** Checksums that S3 verifies and this server implements (not CRC64NVME and the xxHashes). */
export const ALGORITHMS = ["CRC32", "CRC32C", "SHA1", "SHA256"] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** A checksum of an object, in base64. */
export interface Checksum {
  algorithm: Algorithm;
  value: string;
}

export interface Summing {
  update(data: Buffer): void;
  digest(): Buffer;
}

export function algorithmOf(name: string): Algorithm {
  const found = ALGORITHMS.find((each) => each === name.toUpperCase());
  if (found === undefined)
    throw new S3Error(
      400,
      "InvalidRequest",
      "Checksum algorithm provided is unsupported. Please try again with any of the valid types: [CRC32, CRC32C, SHA1, SHA256]",
    );
  return found;
}

/** The header or trailer of a checksum. */
export function headerOf(algorithm: Algorithm): string {
  return `x-amz-checksum-${algorithm.toLowerCase()}`;
}

export function newSum(algorithm: Algorithm): Summing {
  if (algorithm === "CRC32C") return new Crc32c();
  if (algorithm === "CRC32") return new Crc32();
  const hash = createHash(algorithm.toLowerCase());
  return { update: (data) => void hash.update(data), digest: () => hash.digest() };
}

/** @throws S3Error for text that cannot be a checksum of this kind. */
export function assertLength({ algorithm, value }: Checksum): void {
  const length = { CRC32: 4, CRC32C: 4, SHA1: 20, SHA256: 32 }[algorithm];
  const bytes = Buffer.from(value, "base64");
  if (bytes.length !== length || bytes.toString("base64") !== value)
    throw new S3Error(400, "InvalidRequest", `Value for ${headerOf(algorithm)} header is invalid.`);
}

class Crc32 {
  #crc = 0;

  update(data: Buffer): void {
    this.#crc = crc32(data, this.#crc);
  }

  digest(): Buffer {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(this.#crc);
    return bytes;
  }
}
