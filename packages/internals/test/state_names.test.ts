import { expect, test } from "vitest";
import { decodeUserId, digestName, encodeUserId, isDigestName, secondName } from "../src/state/file_names.ts";

const DIGEST_OF_X = "%~2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";

test.each([
  ["alice", "alice"],
  ["a b_c.d@e+f=g,h~i-j9", "a b_c.d@e+f=g,h~i-j9"],
  ["Alice", "%41lice"],
  [".", "%2e"],
  ["..", "%2e%2e"],
  [".a", "%2ea"],
  ["a.", "a%2e"],
  ["a.b", "a.b"],
  ["...", "%2e.%2e"],
  [" ", "%20"],
  [" a", " a"],
  ["a ", "a%20"],
  ["%", "%25"],
  ["%x", "%25x"],
  ["100%", "100%"],
  ["a%2", "a%2"],
  ["a%2g", "a%2g"],
  ["a%g2", "a%g2"],
  ["a%2f", "a%252f"],
  ["a%AF", "a%25%41%46"],
  ["a%2f0", "a%252f0"],
  ["con", "%63on"],
  ["con.txt", "%63on.txt"],
  ["con x", "%63on x"],
  ["console", "console"],
  ["a con", "a con"],
  ["com0", "%63om0"],
  ["com", "com"],
  ["comx", "comx"],
  ["lpt9", "%6cpt9"],
  ["lptx", "lptx"],
  ["conin$", "%63onin%24"],
  ["conout$", "%63onout%24"],
  ["clock$", "%63lock%24"],
  ["clock", "clock"],
  ["a/b", "a%2fb"],
  ["\t", "%09"],
  ["é", "%c3%a9"],
  ["\ufeffx", "%ef%bb%bfx"],
])("the state of %j is stored as %s, which decodes to the same id", (id, name) => {
  expect(encodeUserId(id)).toBe(name);
  expect(decodeUserId(name)).toBe(id);
});

test.each(["%61lice", "%4Alice", "%c3", "José", "%zz", "Alice", "x%2", "a."])(
  "%s is not an encoded id, and is read as a legacy raw id",
  (name) => {
    expect(decodeUserId(name)).toBe(name);
  },
);

test.each(["alice", "Alice", "a".repeat(64), "%", "%_alice", ".", "\u{1f98a}", "%~"])(
  "the alternative name of %j decodes to it, and is not its encoded name",
  (id) => {
    const name = secondName(id);
    expect(decodeUserId(name)).toBe(id);
    expect(isDigestName(name)).toBe(false);
    expect(encodeUserId(name)).not.toBe(name);
  },
);

test("an id whose name would exceed 200 bytes gets a digest, which is not the name of another id", () => {
  expect(encodeUserId("a".repeat(200))).toBe("a".repeat(200));
  expect(encodeUserId("a".repeat(201))).toBe(digestName("a".repeat(201)));
  expect(digestName("x")).toBe(DIGEST_OF_X);
  expect(isDigestName(DIGEST_OF_X)).toBe(true);
  for (const name of [`a${DIGEST_OF_X}`, `${DIGEST_OF_X}0`, DIGEST_OF_X.slice(0, -1), DIGEST_OF_X.toUpperCase(), "%~"])
    expect(isDigestName(name)).toBe(false);
  expect(encodeUserId(DIGEST_OF_X)).toBe(`%25${DIGEST_OF_X.slice(1)}`);
});
