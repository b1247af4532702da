import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeName, encodeName } from "../../src/layout/library_names.ts";
import { isoOf, stampOf, timeOf } from "../../src/layout/stamps.ts";
import { keyOf, readVersion, versionAt, versionName } from "../../src/layout/versions.ts";
import { ANY_CHARACTER } from "../../../../test/any_character.ts";

const name = fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 60 }).filter((text) => text.isWellFormed());
const time = fc.bigInt({ min: 0n, max: 253_402_300_799_999_999n });
const sha256 = fc.stringMatching(/^[0-9a-f]{64}$/);
const format = fc.constantFrom("json" as const, "sqlite" as const);

test("encodes every name as one part of a key that all stores accept, and decodes it", () => {
  fc.assert(
    fc.property(name, (text) => {
      let encoded: string;
      try {
        encoded = encodeName(text);
      } catch (error) {
        expect((error as Error).message).toMatch(/^name: expected a name of at most 200/);
        return;
      }
      expect(encoded).toMatch(/^(?!\.)(?:[a-z0-9_.-]|%[0-9A-F]{2}){1,200}(?<!\.)$/);
      expect(decodeName(encoded)).toBe(text);
    }),
  );
});

test.each([
  ["plain-name_1.2", "plain-name_1.2"],
  ["Team", "%54eam"],
  [".", "%2E"],
  ["..", "%2E%2E"],
  [".hidden.", "%2Ehidden%2E"],
  ["a/b", "a%2Fb"],
  ["a\\b:c*", "a%5Cb%3Ac%2A"],
  ["mustér 🦊", "must%C3%A9r%20%F0%9F%A6%8A"],
  ["%41", "%2541"],
])("%j is %s", (text, encoded) => {
  expect(encodeName(text)).toBe(encoded);
});

test.each(["%61", "Team", "T%45AM", "a%2fb", "ä", ".hidden", "a b", "%", "%FF", ""])(
  "does not decode %j",
  (encoded) => {
    expect(decodeName(encoded)).toBeUndefined();
  },
);

test.each([[""], ["\ud800"], [7], [undefined], [null], [["a"]], ["x".repeat(201)]])("refuses %j", (value) => {
  expect(() => encodeName(value)).toThrow(/^name: expected .* Nothing was changed\.$/);
});

test("stamps keep microseconds and sort by time", () => {
  fc.assert(
    fc.property(time, time, (one, other) => {
      expect(timeOf(stampOf(one))).toBe(one);
      expect(stampOf(one) < stampOf(other)).toBe(one < other);
      expect(Date.parse(isoOf(one))).toBe(Number(one / 1000n));
    }),
  );
});

test.each(["20260231T000000.000000Z", "20261122T246000.000000Z", "20261122T164310.123Z", "20261122T164310.123456", ""])(
  "%j is not a stamp",
  (stamp) => {
    expect(timeOf(stamp)).toBeUndefined();
  },
);

test("parses name, time and format from the key of a version, and ignores other keys", () => {
  fc.assert(
    fc.property(name, time, sha256, format, (text, moment, digits, kind) => {
      fc.pre(Buffer.byteLength(text) <= 60);
      const version = versionName(moment, digits, kind);
      expect(readVersion(version)).toEqual({ time: moment, digits: digits.slice(0, 8), format: kind });
      expect(versionAt(keyOf(text, version), 5)).toEqual({
        name: text,
        version,
        created_at: isoOf(moment),
        format: kind,
        size: 5,
      });
      expect(versionAt(`more/${keyOf(text, version)}`, 5)).toBeUndefined();
      expect(versionAt(`${keyOf(text, version)}.sha256`, 5)).toBeUndefined();
    }),
  );
});
