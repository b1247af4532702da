import { constants } from "node:buffer";
import { ByteWindow, MAX_PIECE } from "@perdura/internals/json/byte_window.js";
import { decodeJson } from "@perdura/internals/json/decode.js";
import { expect, test } from "vitest";

/** The whole text, read through a window that is filled with pieces of this size. */
function readThrough(text: string, size: number): string {
  const bytes = Buffer.from(text);
  const window = new ByteWindow((place, position) => bytes.copy(place, 0, position), size);
  const pieces: string[] = [];
  do {
    pieces.push(window.text(window.at, window.end));
    window.at = window.end;
  } while (window.fill());
  return pieces.join("");
}

test("never splits a character between chunks", () => {
  // The first and the last character of each length, and those whose second byte is the lowest.
  const text = "aé\u0080\u07ff\u0800က\uffff𐀀\u{40000}\u{10ffff}z".repeat(3);
  for (let size = 1; size <= 24; size += 1) expect(readThrough(text, size)).toBe(text);
});

test("a chunk is at most as long as a string can be", () => {
  expect(MAX_PIECE).toBe(constants.MAX_STRING_LENGTH);
  const window = new ByteWindow(() => 0, 16);
  expect(() => window.text(5, 5 + MAX_PIECE)).not.toThrow();
  expect(() => window.text(5, 6 + MAX_PIECE)).toThrow(
    expect.objectContaining({ message: "too long for a string", offset: 5 }),
  );
});

test("a window does not grow beyond the maximum length of a string", () => {
  // Nothing is written: touching this much memory takes seconds.
  const window = new ByteWindow((place) => place.length, MAX_PIECE + 1);
  window.fill();
  expect(() => window.fill()).toThrow(expect.objectContaining({ message: "too long for a string", offset: 0 }));
});

test("refuses a document longer than a string can be, and states its size", () => {
  expect(() => decodeJson(Buffer.alloc(MAX_PIECE + 1), "x.json")).toThrow(
    expect.objectContaining({
      name: "ValidationError",
      path: "x.json",
      message: "x.json: the file has 536870889 bytes; JSON values of more than 536870888 bytes cannot be read.",
    }),
  );
});
