import { MAX_PIECE } from "@perdura/internals/json/byte_window.js";
import { decodeJson } from "@perdura/internals/json/decode.js";
import { decodeDocument } from "@perdura/internals/json/decode_document.js";
import { LibraryDocument } from "@perdura/internals/patterns/json_document.js";
import { expect, test } from "vitest";

test("refuses a value longer than a string can be, with its place", () => {
  const start = Buffer.from('{"patterns": [], "other": "');
  const read = (place: Uint8Array, position: number): number => {
    if (position >= start.length) {
      place.fill(0x61);
      return place.length;
    }
    return start.copy(place, 0, position);
  };
  expect(() => decodeDocument(read, "x.json", new LibraryDocument())).toThrow(
    expect.objectContaining({
      name: "ValidationError",
      path: "x.json",
      message: "x.json: the value at byte 26 is too long: JSON values of more than 536870888 bytes cannot be read.",
    }),
  );
});

test("reads a text as long as a string can be", () => {
  const bytes = Buffer.alloc(MAX_PIECE, 0x20);
  bytes[0] = 0x31;
  expect(decodeJson(bytes, "x.json")).toBe(1);
});
