import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_DECISION } from "@perdura/internals/validity/decide_patterns.js";
import { PatternPersistence } from "@perdura/v16";
import { type Edit, Edits, spliced } from "../../src/core/splice.ts";
import { downgradeMigration, verifyMigration } from "../../src/index.ts";
import { bytesOfFile, splicedBytes } from "../../src/io/document_bytes.ts";
import { decideLibrary, repairedBytes } from "../../src/library/decide_library.ts";
import { documentPlaces } from "../../src/library/document_places.ts";
import { examineLibrary } from "../../src/library/examine_library.ts";
import { freshFolder } from "../support/folder.ts";
import { migrate } from "../support/migrate.ts";

/** Bytes of a document that are in memory at a time. */
const PIECE = 1 << 16;

function fileOf(content: string | Buffer, name = "patterns.json"): string {
  const path = join(freshFolder(), name);
  writeFileSync(path, content);
  return path;
}

test("finds the parts of a document wherever the piece in memory ends", () => {
  const values = ['"a\\"b, ]"', "12  ", "null\n", '{"x":[1,{"y":"}"}]}', '"é"', "[ ]", "1.5e3\t"];
  const items = values.join(",");
  const path = fileOf("");
  for (let shift = 0; shift < items.length + 30; shift += 1) {
    const fill = "x".repeat(PIECE - 25 - shift);
    const text = `{"fill":"${fill}","patterns":[${items}],"metadata" : 7 }`;
    writeFileSync(path, text);
    const bytes = bytesOfFile(path);
    const { members, items: found, patterns, cut } = documentPlaces(bytes);
    expect(cut).toBeUndefined();
    expect([...found.entries()].map(([, range]) => bytes.text(range))).toEqual(values.map((value) => value.trim()));
    expect(members.map(({ name }) => name)).toEqual(["fill", "patterns", "metadata"]);
    expect(members.map((range) => bytes.text(range))).toEqual([`"${fill}"`, `[${items}]`, "7"]);
    expect(bytes.text(patterns as NonNullable<typeof patterns>)).toBe(`[${items}]`);
    writeFileSync(path, text.slice(0, -2));
    expect(documentPlaces(bytesOfFile(path)).cut).toBeDefined();
  }
});

test("edited bytes are those of a copy in memory, from any place on", () => {
  const path = fileOf("");
  const content = fc.uint8Array({ maxLength: 300, size: "max" }).map((bytes) => Buffer.from(bytes));
  const edits = fc.array(
    fc.record({ skip: fc.nat(40), length: fc.nat(20), text: fc.string({ unit: "binary", maxLength: 8 }) }),
    { maxLength: 20, size: "max" },
  );
  let most = 0;
  fc.assert(
    fc.property(content, edits, fc.boolean(), (small, gaps, isLarge) => {
      const bytes = isLarge
        ? Buffer.concat(Array.from({ length: 800 }, () => [small, Buffer.from(",")]).flat())
        : small;
      writeFileSync(path, bytes);
      let at = 0;
      const placed = gaps.flatMap(({ skip, length, text }): Edit[] => {
        const start = at + skip * (isLarge ? 200 : 1);
        at = start + length;
        // Of two texts for the same place, the first one comes first.
        const isSecond = skip + length === 0;
        return at > bytes.length || isSecond ? [] : [{ start, end: at, text }];
      });
      most = Math.max(most, placed.length);
      const expected = spliced(bytes, placed);
      const found = splicedBytes(bytesOfFile(path), new Edits(placed.toReversed()));
      expect(found.length).toBe(expected.length);
      expect(Buffer.concat(Array.from(found.pieces(), (piece) => Buffer.from(piece))).equals(expected)).toBe(true);
      for (let start = expected.length; start >= 0; start -= Math.max(1, Math.floor(expected.length / 23))) {
        const end = Math.min(expected.length, start + 31);
        expect(found.text({ start, end }, "latin1")).toBe(expected.toString("latin1", start, end));
        expect(found.piece({ start, end }).equals(expected.subarray(start, end))).toBe(true);
      }
      const same = fileOf(expected, "same");
      expect(found.equals(bytesOfFile(same))).toBe(true);
      if (expected.length === 0) return;
      const other = Buffer.from(expected);
      other[other.length - 1] = (other.at(-1) as number) ^ 1;
      writeFileSync(same, other);
      expect(found.equals(bytesOfFile(same))).toBe(false);
    }),
    { numRuns: 60 },
  );
  expect(most).toBeGreaterThan(5);
});

test("more contributions are removed than a call can have arguments", () => {
  const invalid = Array.from({ length: 150_000 }, (_, index) => index);
  const bytes = bytesOfFile(
    fileOf(JSON.stringify({ patterns: [], agent_contributions: { a: ["x", ...invalid, "y"] } })),
  );
  const findings = examineLibrary(bytes, documentPlaces(bytes));
  const decisions = { ...NO_DECISION, invalidRows: "quarantine" } as const;
  const outcome = decideLibrary(findings, decisions);
  expect(outcome).toMatchObject({ complete: true, removed: invalid.length });
  const repaired = repairedBytes(findings, outcome, decisions);
  expect(repaired.text({ start: 0, end: repaired.length })).toBe(
    '{"patterns":[],"agent_contributions":{"a":["x","y"]}}',
  );
});

test("edits can be added in any order, but not for the same bytes", () => {
  const added = [
    { start: 8, end: 9, text: "e" },
    { start: 4, end: 4, text: "b" },
    { start: 4, end: 6, text: "d" },
    { start: 4, end: 4, text: "c" },
    { start: 0, end: 1, text: "a" },
  ];
  expect([...new Edits(added).inOrder()].map(({ text }) => text).join("")).toBe("abcde");
  const overlapping = new Edits([...added, { start: 5, end: 7, text: "" }]);
  expect(() => overlapping.inOrder()).toThrow("Two repairs concern the same bytes.");
});

test("a file that is saved while it is read is called in use", () => {
  const path = fileOf("x".repeat(3 * PIECE));
  const bytes = bytesOfFile(path);
  const pieces = bytes.pieces();
  expect(pieces.next().done).toBe(false);
  writeFileSync(path, "y".repeat(3 * PIECE + 1));
  expect(() => pieces.next()).toThrow(expect.objectContaining({ status: "in_use" }));
});

test("a library of many pieces is repaired, verified, and restored byte for byte", async () => {
  const patterns = Array.from({ length: 700 }, (_, index) => {
    const ratio = index % 3 === 0 ? "NaN" : "0.5";
    return `{"id":"pattern-number-${index}","agent_id":"an-agent-${index % 5}","pattern_type":"t","name":"Pattern ${index} é","context":{"ratio":${ratio},"text":"${"x".repeat(index)}"}}`;
  });
  const original = `{"patterns": [\n${patterns.join(",\n")}\n],\n"agent_contributions": {"an-agent-0": ["pattern-number-0"]}}\n`;
  const path = fileOf(original);
  expect(await migrate(path, { nonFinite: "null" })).toMatchObject({ exit_code: 0 });
  expect(readFileSync(path, "utf8")).toBe(original.replaceAll("NaN", "null"));
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
  const library = PatternPersistence.loadFromJson(path);
  expect(library.size).toBe(700);
  library.recordUsage("pattern-number-7", "an-agent-2", true);
  PatternPersistence.saveToJson(library, path);
  expect(await verifyMigration(path)).toMatchObject({
    exit_code: 0,
    databases: [{ verification: { other_tables: [{ rows: 700, repaired: 234, changed_since: 1 }] } }],
  });
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  const restored = readFileSync(path, "utf8");
  expect(restored.split("NaN")).toHaveLength(235);
  expect(restored).toContain('"usage_count": 1');
});
