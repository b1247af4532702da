import { createHash } from "node:crypto";

/** Castagnoli's polynomial, reversed. */
const POLYNOMIAL = 0x82f63b78;

/** Bytes that are processed at once. */
const SLICES = 8;

/**
 * For each position among eight bytes, the contribution of each value: the eight look-ups do not depend on each other.
 */
const TABLES = ((): Uint32Array[] => {
  const first = new Uint32Array(256).map((_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
    return value;
  });
  const tables = [first];
  for (let slice = 1; slice < SLICES; slice += 1)
    tables.push((tables[slice - 1] as Uint32Array).map((value) => (value >>> 8) ^ (first[value & 0xff] as number)));
  return tables;
})();

const [T0, T1, T2, T3, T4, T5, T6, T7] = TABLES as unknown as Record<number, number>[] & { length: 8 };

/**
 * The CRC32C of bytes, with which Google Cloud Storage checks objects.
 *
 * @param before The CRC32C of the preceding bytes; 0 by default.
 */
export function crc32c(bytes: Uint8Array, before: number = 0): number {
  let crc = ~before;
  let at = 0;
  const b = bytes as Record<number, number> & Uint8Array;
  for (const end = bytes.length - SLICES; at <= end; at += SLICES) {
    const low = crc ^ (b[at]! | (b[at + 1]! << 8) | (b[at + 2]! << 16) | (b[at + 3]! << 24));
    crc =
      T7![low & 0xff]! ^
      T6![(low >>> 8) & 0xff]! ^
      T5![(low >>> 16) & 0xff]! ^
      T4![low >>> 24]! ^
      T3![b[at + 4]!]! ^
      T2![b[at + 5]!]! ^
      T1![b[at + 6]!]! ^
      T0![b[at + 7]!]!;
  }
  for (; at < bytes.length; at += 1) crc = T0![(crc ^ b[at]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** A CRC32C in Google's form: base64 of the four bytes, the highest first. */
export function crc32cText(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes.toString("base64");
}

/** The MD5 of bytes, with which S3 and Azure check parts. */
export function md5(bytes: Uint8Array): Buffer {
  return createHash("md5").update(bytes).digest();
}
