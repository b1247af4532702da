import fc from "fast-check";
import { expect, it } from "vitest";
import { WriteBuffer } from "../../src/files/write_buffer.ts";
import { ANY_CHARACTER } from "../../../../test/any_character.ts";

const [SHORT, LONG] = [1 << 16, 1 << 21];

/** A buffer, with the lengths of the written pieces, and the memory of each. */
function recording(): { buffer: WriteBuffer; lengths: number[]; memory: ArrayBufferLike[] } {
  const [lengths, memory]: [number[], ArrayBufferLike[]] = [[], []];
  const buffer = new WriteBuffer((bytes) => {
    lengths.push(bytes.length);
    memory.push(bytes.buffer);
  });
  return { buffer, lengths, memory };
}

it("collects short chunks, and writes nothing if there are none", () => {
  const { buffer, lengths } = recording();
  buffer.flush();
  expect(lengths).toEqual([]);
  buffer.add("a");
  buffer.add("é");
  buffer.add(new Uint8Array(40_000));
  expect(lengths).toEqual([]);
  buffer.flush();
  buffer.flush();
  expect(lengths).toEqual([40_003]);
});

it("uses a larger buffer once the first is full, and fills it completely", () => {
  const { buffer, lengths } = recording();
  buffer.add(new Uint8Array(SHORT));
  expect(lengths).toEqual([]);
  buffer.add("a");
  expect(lengths).toEqual([SHORT]);
  buffer.add(new Uint8Array(LONG - 1));
  expect(lengths).toEqual([SHORT]);
  buffer.add("b");
  buffer.add(new Uint8Array(LONG));
  expect(lengths).toEqual([SHORT, LONG, 1]);
  buffer.flush();
  expect(lengths).toEqual([SHORT, LONG, 1, LONG]);
});

it("writes a chunk larger than the buffer separately, after the earlier chunks", () => {
  const { buffer, lengths } = recording();
  buffer.add("before");
  buffer.add("x".repeat(LONG));
  buffer.add("after");
  buffer.flush();
  expect(lengths).toEqual([6, LONG, 5]);
});

it("frees its memory when a larger buffer replaces it, and at the end", () => {
  const { buffer, memory } = recording();
  const isGone = (): boolean[] => memory.map((one) => (one as ArrayBuffer).detached);
  buffer.add(new Uint8Array(SHORT));
  buffer.add("a");
  expect(isGone()).toEqual([true]);
  buffer.flush();
  expect(isGone()).toEqual([true, false]);
  // The same memory is used again.
  buffer.add(new Uint8Array(LONG));
  buffer.add("a");
  expect(memory[2]).toBe(memory[1]);
  buffer.add(new Uint8Array(LONG));
  expect(memory[3]).toBe(memory[1]);
  buffer.free();
  expect(isGone()).toEqual([true, true, true, true]);
});

it("writes all chunks in order", () => {
  const chunk = fc.oneof(fc.string({ unit: ANY_CHARACTER, maxLength: 50 }), fc.uint8Array({ maxLength: 50 }));
  const long = fc.nat({ max: 3 * SHORT }).map((length) => "é".repeat(length));
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 4, arbitrary: chunk }, long), { maxLength: 8 }), (chunks) => {
      const written: Buffer[] = [];
      const buffer = new WriteBuffer((bytes) => written.push(Buffer.from(bytes)));
      for (const one of chunks) buffer.add(one);
      buffer.flush();
      expect(Buffer.concat(written).equals(Buffer.concat(chunks.map((one) => Buffer.from(one as string))))).toBe(true);
    }),
    { numRuns: 50 },
  );
});
