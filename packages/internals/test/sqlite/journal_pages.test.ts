import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { journalPages } from "../../src/sqlite/journal_pages.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const MAGIC = Buffer.from("d9d505f920a163d7", "hex");

/** Reads a journal with this content. */
function read(content: Uint8Array): ReturnType<typeof journalPages> {
  const path = join(freshFolder(), "m.db-journal");
  writeFileSync(path, content);
  const descriptor = openSync(path, "r");
  try {
    return journalPages(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A header with its fields: records, nonce, pages, sector size, page size; up to the end of its sector. */
function header(records: number, pages: number, sector: number, pageSize: number): Buffer {
  const bytes = Buffer.alloc(Math.max(sector, 28));
  MAGIC.copy(bytes);
  for (const [index, field] of [records, 0, pages, sector, pageSize].entries())
    bytes.writeUInt32BE(field, 8 + 4 * index);
  return bytes;
}

test("the size of the database is that of the first header", () => {
  expect(read(header(0, 7, 512, 4096))).toEqual({ first: undefined, pages: 7 });
});

test.each([
  ["a sector after the end of the file", [0xff_ff_ff_ff, 7, 0x62_a2_94_83, 0x41_ee_58_05]],
  ["a sector of 513 bytes", [1, 7, 513, 4096]],
  ["a page of no size", [0xff_ff_ff_ff, 7, 512, 0]],
  ["a page beyond the largest size", [1, 7, 512, 131_072]],
] as const)("SQLite does not use a journal with %s", (_, [records, pages, sector, pageSize]) => {
  const content = Buffer.alloc(2012);
  header(records, pages, 28, pageSize).copy(content);
  content.writeUInt32BE(sector, 20);
  expect(read(content)).toBeUndefined();
});

test("reading ends, whatever follows the magic number", () => {
  const field = fc.oneof(fc.nat(0xff_ff_ff_ff), fc.constantFrom(0, 1, 28, 32, 512, 4096, 65_536, 0xff_ff_ff_ff));
  const headers = fc.array(fc.tuple(field, field, field, field, fc.uint8Array({ maxLength: 200 })), { maxLength: 4 });
  fc.assert(
    fc.property(headers, (made) => {
      const content = made.map(([records, pages, sector, pageSize, rest]) => {
        const bytes = header(records, pages, 28, pageSize);
        bytes.writeUInt32BE(sector, 20);
        return Buffer.concat([bytes, rest]);
      });
      read(Buffer.concat(content));
    }),
    { numRuns: 300 },
  );
});
