import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";

/** Numbers in Python's notation, with their results for the two options. */
const NUMBERS = [
  { written: "NaN", text: "NaN" },
  { written: "Infinity", text: "Infinity" },
  { written: "-Infinity", text: "-Infinity" },
];
const MODES = ["null", "text"] as const;

/** A value in the notation of Python's json module, with the result of each option. */
interface Written {
  written: string;
  null: unknown;
  text: unknown;
}

const value = fc.letrec<{ value: Written }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(...NUMBERS).map(({ written, text }) => ({ written, null: null, text })),
    // Text that looks like one of the tokens stays text.
    fc
      .oneof(fc.string(), fc.constantFrom("NaN", '"Infinity', "\\-Infinity", "[NaN]"))
      .map((text) => ({ written: JSON.stringify(text), null: text, text })),
    fc.constantFrom(0.5, true, null).map((plain) => ({ written: JSON.stringify(plain), null: plain, text: plain })),
    fc.array(tie("value"), { maxLength: 4 }).map((items) => ({
      written: `[${items.map(({ written }) => written).join(", ")}]`,
      null: items.map((item) => item.null),
      text: items.map(({ text }) => text),
    })),
    members(tie("value")),
  ),
})).value;

function members(one: fc.Arbitrary<Written>): fc.Arbitrary<Written> {
  return fc.uniqueArray(fc.tuple(fc.string(), one), { selector: ([key]) => key, maxLength: 4 }).map((entries) => ({
    written: `{${entries.map(([key, { written }]) => `${JSON.stringify(key)}: ${written}`).join(", ")}}`,
    null: Object.fromEntries(entries.map(([key, read]) => [key, read.null])),
    text: Object.fromEntries(entries.map(([key, { text }]) => [key, text])),
  }));
}

const patternText = (id: string, context: string): string =>
  `{"id": "${id}", "agent_id": "a", "pattern_type": "t", "name": "n", "context": ${context}}`;

describe.for(LINES)("non-finite numbers in libraries of $name", ({ line: { PatternPersistence } }) => {
  function documentOf(...contexts: string[]): string {
    const file = join(freshFolder(), "patterns.json");
    const patterns = contexts.map((context, index) => patternText(`p${index}`, context));
    writeFileSync(file, `{"patterns": [${patterns.join(", ")}]}`);
    return file;
  }

  function databaseOf(...contexts: string[]): string {
    const file = join(freshFolder(), "patterns.db");
    PatternPersistence.saveToSqlite(PatternPersistence.loadFromJson(documentOf(...contexts.map(() => "{}"))), file);
    const database = openDatabase(file, { intent: "change" });
    const change = database.prepare("UPDATE patterns SET context = ? WHERE id = ?");
    for (const [index, context] of contexts.entries()) change.run(context, `p${index}`);
    database.close();
    return file;
  }

  test.each(NUMBERS)("are refused by default: $written, with its place and the option that reads it", ({ written }) => {
    const wayOut = `found the token ${written}, which is not JSON (the option nonFinite of loadFromJson, loadFromSqlite, load and StateManager reads it)`;
    const document = documentOf("{}", `{"a": ${written}}`);
    expect(() => PatternPersistence.loadFromJson(document)).toThrow(
      expect.objectContaining({ name: "JSONDecodeError", line: 1, message: expect.stringContaining(wayOut) }),
    );
    expect(() => PatternPersistence.loadFromSqlite(databaseOf("{}", `{"a": ${written}}`))).toThrow(
      expect.objectContaining({
        name: "CorruptDataError",
        message: expect.stringMatching(/table "patterns", row 2: context: 1:7: .*the option nonFinite of /),
      }),
    );
  });

  test.each(MODES)("are read as %s, in any context", (nonFinite) => {
    fc.assert(
      fc.property(fc.array(members(value), { minLength: 1, maxLength: 4 }), (contexts) => {
        const written = contexts.map((context) => context.written);
        const wanted = contexts.map((context) => context[nonFinite]);
        for (const library of [
          PatternPersistence.loadFromJson(documentOf(...written), { nonFinite }),
          PatternPersistence.loadFromSqlite(databaseOf(...written), { nonFinite }),
        ])
          expect([...library.patterns.values()].map(({ context }) => context)).toEqual(wanted);
      }),
      { numRuns: 50 },
    );
  });

  test("are found in a document that is read in chunks", () => {
    const contexts = Array.from(
      { length: 5000 },
      (_, index) => `{"n": ${index % 7 === 0 ? "NaN" : index}, "s": "NaN"}`,
    );
    const library = PatternPersistence.loadFromJson(documentOf(...contexts), { nonFinite: "text" });
    expect([...library.patterns.values()].map(({ context }) => context)).toEqual(
      contexts.map((_, index) => ({ n: index % 7 === 0 ? "NaN" : index, s: "NaN" })),
    );
  });

  test("are never written, even if they were read as text", () => {
    const library = PatternPersistence.loadFromJson(documentOf('{"a": [NaN, -Infinity]}'), { nonFinite: "text" });
    const file = join(freshFolder(), "again.json");
    PatternPersistence.saveToJson(library, file);
    expect(PatternPersistence.loadFromJson(file).get("p0")?.context).toEqual({ a: ["NaN", "-Infinity"] });
  });

  test.each(["nan", "-NaN", "NaNs", "Infinit", "+Infinity", "-", "--Infinity", "N", "I", "naN"])(
    "are refused in any other spelling: %s",
    (written) => {
      for (const nonFinite of MODES)
        expect(() => PatternPersistence.loadFromJson(documentOf(`{"a": ${written}}`), { nonFinite })).toThrow(
          expect.objectContaining({ name: "JSONDecodeError" }),
        );
    },
  );

  test.each([
    [{ nonFinite: "nan" }, 'options.nonFinite: expected "null" or "text", got "nan".'],
    [{ nonFinte: "null" }, 'options: unknown option "nonFinte"; expected one of nonFinite, onInvalid.'],
  ])("cannot be read with invalid options: %j", (options, message) => {
    expect(() => PatternPersistence.loadFromJson(documentOf("{}"), options as never)).toThrow(message);
    expect(() => PatternPersistence.loadFromSqlite(databaseOf("{}"), options as never)).toThrow(message);
  });
});
