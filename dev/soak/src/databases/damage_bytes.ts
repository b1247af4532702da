import { readFileSync, writeFileSync } from "node:fs";
import type { Chance } from "../../../../test/hostile/chance.ts";

/** Changes the bytes of a database, or returns a replacement. */
type Damage = (bytes: Buffer, chance: Chance) => Buffer | void;

/** Offsets and lengths of the header fields (SQLite file format, 1.3). */
const FIELDS: readonly (readonly [at: number, bytes: 1 | 2 | 4])[] = [
  ...([18, 19, 20, 21, 22, 23] as const).map((at) => [at, 1] as const),
  [16, 2],
  ...([24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 92, 96] as const).map((at) => [at, 4] as const),
];
const NUMBERS = [0, 1, 2, 3, 4, 5, 7, 13, 127, 255, 256, 512, 1024, 4096, 32_768, 65_535, 2 ** 31 - 1, 2 ** 31];

const sizeOf = (bytes: Buffer): number => {
  const said = bytes.readUInt16BE(16);
  return said === 1 ? 65_536 : said >= 512 ? said : 4096;
};
const pagesOf = (bytes: Buffer): number => Math.max(1, Math.floor(bytes.length / sizeOf(bytes)));

/** A random page with the start of its header; on the first page the page header follows the header of the file. */
function somePage(bytes: Buffer, chance: Chance): { start: number; header: number; size: number } {
  const size = sizeOf(bytes);
  const page = chance.below(pagesOf(bytes));
  return { start: page * size, header: page * size + (page === 0 ? 100 : 0), size };
}

const anyBytes: Damage = (bytes, chance) => {
  for (let times = 1 + chance.below(6); times > 0; times -= 1)
    bytes.set(chance.bytes(1 + chance.below(8)), chance.below(Math.max(1, bytes.length - 8)));
};

const headerField: Damage = (bytes, chance) => {
  const [at, length] = chance.pick(FIELDS);
  const value = chance.below(3) === 0 ? chance.below(2 ** 32) : chance.pick(NUMBERS);
  bytes.writeUIntBE(value % 256 ** length, at, length);
};

const pageHeader: Damage = (bytes, chance) => {
  const { header } = somePage(bytes, chance);
  if (chance.below(3) === 0) bytes[header] = chance.pick([0, 1, 2, 5, 10, 13, 255]);
  else bytes.writeUInt16BE(chance.below(65_536), header + chance.pick([1, 3, 5, 8, 10]));
};

/** Offsets of the cell pointers of a page, as far as they can be determined. */
function cellsOf(bytes: Buffer, { start, header, size }: ReturnType<typeof somePage>): number[] {
  const first = header + ([2, 5].includes(bytes[header] ?? 0) ? 12 : 8);
  const count = Math.min(bytes.readUInt16BE(header + 3), Math.floor((start + size - first) / 2));
  return Array.from({ length: count }, (_, index) => first + 2 * index);
}

const cellPointer: Damage = (bytes, chance) => {
  const page = somePage(bytes, chance);
  const cells = cellsOf(bytes, page);
  if (cells.length > 0) bytes.writeUInt16BE(chance.below(page.size) % 65_536, chance.pick(cells));
};

/** Changes the first bytes of a cell: its length, its row id, and the types of its columns. */
const cellHead: Damage = (bytes, chance) => {
  const page = somePage(bytes, chance);
  const cells = cellsOf(bytes, page);
  if (cells.length === 0) return;
  const cell = page.start + bytes.readUInt16BE(chance.pick(cells));
  for (let times = 1 + chance.below(4); times > 0; times -= 1)
    if (cell + 16 < bytes.length) bytes[cell + chance.below(16)] = chance.pick([0, 1, 7, 8, 9, 127, 128, 200, 255]);
};

/** Replaces a possible page number by another: chains of pages lead elsewhere, or form a cycle. */
const pageNumber: Damage = (bytes, chance) => {
  const { start, size } = somePage(bytes, chance);
  const from = chance.below(size);
  for (let step = 0; step < size; step += 1) {
    const at = start + ((from + step) % size);
    if (at + 4 > bytes.length) continue;
    const number = bytes.readUInt32BE(at);
    if (number > 0 && number <= pagesOf(bytes))
      return void bytes.writeUInt32BE(1 + chance.below(pagesOf(bytes) + 1), at);
  }
};

const freeList: Damage = (bytes, chance) => {
  bytes.writeUInt32BE(chance.below(pagesOf(bytes) + 2), 32);
  bytes.writeUInt32BE(chance.pick([0, 1, 2, pagesOf(bytes), 2 ** 31]), 36);
};

const wholePage: Damage = (bytes, chance) => {
  const [one, other] = [somePage(bytes, chance), somePage(bytes, chance)];
  const page = Buffer.from(bytes.subarray(one.start, one.start + one.size));
  bytes.set(
    chance.below(2) === 0 ? page : Buffer.alloc(page.length),
    Math.min(other.start, bytes.length - page.length),
  );
};

const length: Damage = (bytes, chance) =>
  chance.below(2) === 0
    ? bytes.subarray(0, chance.below(bytes.length))
    : Buffer.concat([bytes, chance.below(2) === 0 ? Buffer.alloc(chance.below(20_000)) : chance.bytes(5000)]);

const EVERY: readonly Damage[] = [
  anyBytes,
  anyBytes,
  headerField,
  pageHeader,
  cellPointer,
  cellHead,
  pageNumber,
  pageNumber,
  freeList,
  wholePage,
  length,
];

/** Damages a file in one way or two. */
export function damageBytes(path: string, chance: Chance): void {
  let bytes = readFileSync(path);
  for (let times = 1 + chance.below(2); times > 0; times -= 1)
    if (bytes.length >= 512) bytes = Buffer.from(chance.pick(EVERY)(bytes, chance) ?? bytes);
  writeFileSync(path, bytes);
}
