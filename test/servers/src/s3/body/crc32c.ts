/** CRC-32C, reflected, as in S3; a CRC-32 is in node:zlib. */
export class Crc32c {
  #crc = 0xffffffff;

  update(data: Buffer): void {
    let crc = this.#crc;
    for (const byte of data) crc = (crc >>> 8) ^ (TABLE_32C[(crc ^ byte) & 0xff] as number);
    this.#crc = crc;
  }

  digest(): Buffer {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE((this.#crc ^ 0xffffffff) >>> 0);
    return bytes;
  }
}

const TABLE_32C: Uint32Array = Uint32Array.from({ length: 256 }, (_, index) => {
  let crc = index;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc >>> 0;
});
