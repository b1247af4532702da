import { createHash } from "node:crypto";
import type { Hash } from "node:crypto";
import { invalid } from "./refusal.ts";

/** Castagnoli's polynomial, reversed. */
const POLYNOMIAL = 0x82f63b78;

const TABLE = new Uint32Array(256).map((_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
});

/** CRC32C and MD5 of a stream of bytes. Slow and short, and independent of the code under test. */
export class Checksums {
  #crc = 0xffffffff;
  readonly #md5: Hash = createHash("md5");

  add(bytes: Uint8Array): void {
    let crc = this.#crc;
    for (const byte of bytes) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] as number);
    this.#crc = crc;
    this.#md5.update(bytes);
  }

  /** Base64 of the four bytes, big-endian. */
  get crc32c(): string {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE((this.#crc ^ 0xffffffff) >>> 0);
    return bytes.toString("base64");
  }

  get md5(): string {
    return this.#md5.copy().digest("base64");
  }
}

/** Checksums that a sender declares. */
export interface Promised {
  crc32c?: string | undefined;
  md5?: string | undefined;
}

/** Checksums of a header `X-Goog-Hash: crc32c=…,md5=…`; several headers arrive joined by commas. */
export function promisedByHeader(header: string | undefined): Promised {
  const promised: Promised = {};
  for (const part of header?.split(",") ?? []) {
    const [, name, value] = /^\s*(crc32c|md5)=([A-Za-z0-9+/]+=*)\s*$/.exec(part) ?? [];
    if (name === undefined || value === undefined) throw invalid(`Invalid X-Goog-Hash header: ${part}`);
    promised[name as keyof Promised] = value;
  }
  return promised;
}

/** @throws Refusal with Google's wording. */
export function assertPromises(found: Checksums, ...promises: Promised[]): void {
  for (const { crc32c, md5 } of promises) {
    if (crc32c !== undefined && crc32c !== found.crc32c)
      throw invalid(`Provided CRC32C "${crc32c}" doesn't match calculated CRC32C "${found.crc32c}".`);
    if (md5 !== undefined && md5 !== found.md5)
      throw invalid(`Provided MD5 hash "${md5}" doesn't match calculated MD5 hash "${found.md5}".`);
  }
}
