import { decodeDocument } from "@perdura/internals/json/decode_document.js";
import { LibraryDocument } from "@perdura/internals/patterns/json_document.js";
import type { PatternLibrary } from "@perdura/internals/patterns/library.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Chance } from "../../../test/hostile/chance.ts";
import { hostileDocument, LIBRARY } from "../../../test/hostile/documents.ts";
import { readWholeText } from "./whole_text_reader.ts";

/** Made-up documents. */
const RUNS = Number(process.env["PERDURA_RUNS"] ?? 1) * 1500;

const documents = Chance.arbitrary((chance) => hostileDocument(chance.made(LIBRARY), chance));

function readInPieces(bytes: Buffer, path: string, piece: number): PatternLibrary {
  const document = new LibraryDocument();
  decodeDocument((place, position) => bytes.copy(place, 0, position), path, document, piece);
  return document.library(path);
}

/** Outcome as text: the library, or all properties of an error. */
function outcome(read: () => PatternLibrary): string {
  const exact = (_key: string, value: unknown): unknown => (Object.is(value, -0) ? "-0" : value);
  try {
    const { patterns, agentContributions } = read();
    return JSON.stringify([[...patterns], [...agentContributions]], exact);
  } catch (error) {
    const { name, message, pointer, line, column, path } = error as Record<string, unknown>;
    return JSON.stringify({ name, message, pointer, line, column, path });
  }
}

test("reading a document in chunks gives the same library or error as reading it whole", () => {
  let [libraries, errors] = [0, 0];
  fc.assert(
    fc.property(documents, fc.oneof(fc.integer({ min: 1, max: 64 }), fc.constant(1 << 16)), (bytes, piece) => {
      const expected = outcome(() => readWholeText(bytes, "library.json"));
      expect(outcome(() => readInPieces(bytes, "library.json", piece))).toBe(expected);
      if (expected.startsWith("[")) libraries += 1;
      else errors += 1;
    }),
    { numRuns: RUNS },
  );
  // Both kinds were tried.
  expect(Math.min(libraries, errors)).toBeGreaterThan(RUNS / 12);
});

test("reports every truncation and changed byte in the same way as reading it whole", () => {
  const bytes = Buffer.from(
    '\ufeff{\r\n "patterns": [\n {"id": "p1", "agent_id": "a", "pattern_type": "é", "name": "\\u00e9"},\n' +
      ' {"id": "p2", "agent_id": "𝄞", "pattern_type": "", "name": "n", "context": {"a\\n": 1e999}}],\r "metadata": {"version": "1.0"}}\n',
  );
  for (let at = 0; at <= bytes.length; at += 1) {
    const spoilt = [0x00, 0x20, 0x22, 0x2c, 0x5b, 0x5c, 0x5d, 0x7d, 0xc3, 0xff].map((byte) => {
      const copy = Buffer.from(bytes);
      copy[at] = byte;
      return copy;
    });
    for (const one of [bytes.subarray(0, at), ...spoilt]) {
      const expected = outcome(() => readWholeText(one, "x.json"));
      for (const piece of [1, 7, 64]) expect(outcome(() => readInPieces(one, "x.json", piece))).toBe(expected);
    }
  }
});

test("reports invalid UTF-8 before a syntax error at an earlier place", () => {
  const bytes = Buffer.from(`{"patterns": [1 2],\n"x": "${"a".repeat(300)}\xff"}`, "latin1");
  const message = outcome(() => readInPieces(bytes, "x.json", 16));
  expect(message).toContain("x.json:2:307: not valid JSON: byte 0xff is not UTF-8");
  expect(message).toBe(outcome(() => readWholeText(bytes, "x.json")));
});

test("rethrows an error of reading the bytes unchanged", () => {
  const failed = new Error("EIO");
  const read = (place: Uint8Array, position: number): number => {
    if (position > 0) throw failed;
    place.fill(0x20);
    return place.length;
  };
  expect(() => decodeDocument(read, "x.json", new LibraryDocument())).toThrow(expect.toSatisfy((e) => e === failed));
});

test.each([".5", "e1", "E+1", "5", '"a"', "true", "[]"])("%s directly after the patterns is a syntax error", (rest) => {
  const bytes = Buffer.from(`{"patterns":[]${rest}}`);
  const expected = outcome(() => readWholeText(bytes, "library.json"));
  expect(JSON.parse(expected)).toMatchObject({ name: "JSONDecodeError", line: 1, column: 15 });
  expect(outcome(() => readInPieces(bytes, "library.json", 1 << 16))).toBe(expected);
});
