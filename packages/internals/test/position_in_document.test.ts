import { positionInDocument } from "@perdura/internals/json/document_position.js";
import { positionOf } from "@perdura/internals/json/strict_parser.js";
import fc from "fast-check";
import { expect, test } from "vitest";

const text = fc.string({ unit: fc.constantFrom("\r", "\n", "a", "é", "က", "𝄞") });

test("computes the same position in chunks as in the whole text", () => {
  fc.assert(
    fc.property(text, text, fc.integer({ min: 1, max: 5 }), fc.boolean(), (before, after, piece, hasMark) => {
      const mark = hasMark ? "\ufeff" : "";
      const bytes = Buffer.from(`${mark}${before}${after}`);
      const read = (place: Uint8Array, position: number): number =>
        bytes.copy(place, 0, position, Math.min(bytes.length, position + piece));
      expect(positionInDocument(read, Buffer.byteLength(`${mark}${before}`))).toEqual(
        positionOf(before + after, before.length),
      );
    }),
    { numRuns: 1000 },
  );
});

test("recognises the line endings LF, CR and CRLF", () => {
  const place = (document: string): { line: number; column: number } =>
    positionInDocument((to, position) => Buffer.from(document).copy(to, 0, position), document.length);
  expect([place("\n\n"), place("\r\r"), place("\r\n\r\n"), place("\n\r")].map(({ line }) => line)).toEqual([
    3, 3, 3, 3,
  ]);
});

test("stops at the end of a document that became shorter", () => {
  const bytes = Buffer.from("ab\nc");
  const read = (place: Uint8Array, position: number): number => bytes.copy(place, 0, Math.min(position, bytes.length));
  expect(positionInDocument(read, 1000)).toEqual({ line: 2, column: 2 });
});
