import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stringifyExact } from "@perdura/internals/json/exact_numbers.js";
import { completePattern, type PatternInput } from "@perdura/internals/patterns/pattern.js";
import type { JsonValue, Pattern } from "@perdura/v16";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asDocumented } from "../as_documented.ts";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";
import { libraryOf, patterns, rawNumber } from "../random_library.ts";

/** Changes that callers may make to a pattern in place, and values that need a separate way of writing. */
const changes = fc.constantFrom<((pattern: Pattern) => unknown)[]>(
  () => {},
  (pattern) => Object.assign(pattern, { extra: 1 }),
  (pattern) => Object.assign(pattern, { description: undefined, tags: undefined }),
  (pattern) => Object.assign(pattern, { confidence: -0 }),
  (pattern) => (pattern.context = { a: undefined as never, b: [-0, 12345678901234567890n, rawNumber("1e999")] }),
  (pattern) => (pattern.context = Object.assign(Object.create(null) as Record<string, JsonValue>, { b: [[], {}] })),
  (pattern) => (pattern.context = { "\n": "\n    },\n", ["__proto__"]: "\ud800", toJSON: "no function" }),
  (pattern) => (pattern.code = "}\n".repeat(40_000)),
  (pattern) => {
    const { name } = pattern;
    delete (pattern as Partial<Pattern>).name;
    pattern.name = name;
  },
);

describe.for(LINES)("library files of $name", ({ line: { PatternLibrary, PatternPersistence } }) => {
  test("equal the document as JSON.stringify formats it, byte for byte, for any batch size", () => {
    const file = join(freshFolder(), "library.json");
    fc.assert(
      fc.property(
        patterns,
        fc.array(changes, { minLength: 8, maxLength: 8 }),
        fc.boolean(),
        (contributed, todo, alone) => {
          const library = libraryOf(PatternLibrary, contributed);
          [...library.patterns.values()].forEach((pattern, index) => todo[index]?.(pattern));
          // Numeric agent ids would be sorted in an object.
          const contributions = [...library.agentContributions].filter(([agentId]) => !/^\d+$/.test(agentId));
          library.agentContributions.clear();
          for (const [agentId, ids] of contributions) library.agentContributions.set(agentId, alone ? [] : ids);
          PatternPersistence.saveToJson(library, file);
          const written = readFileSync(file, "utf8");
          const document = {
            patterns: Array.from(library.patterns.values(), (pattern) =>
              asDocumented(completePattern(pattern as PatternInput)),
            ),
            agent_contributions: Object.fromEntries(library.agentContributions),
            metadata: {
              saved_at: (JSON.parse(written) as { metadata: { saved_at: string } }).metadata.saved_at,
              pattern_count: library.size,
              version: "1.0",
            },
          };
          expect(written).toBe(`${stringifyExact(document, 2)}\n`);
        },
      ),
      { numRuns: 150 },
    );
  });

  test("of thousands of patterns hold each pattern once, in order", () => {
    const file = join(freshFolder(), "library.json");
    const library = new PatternLibrary();
    for (let index = 0; index < 5000; index += 1) {
      const context = index % 1000 === 7 ? { n: -0 } : { text: "é".repeat(index % 200) };
      library.contribute(`a${index % 3}`, { id: `p${index}`, pattern_type: "t", name: "n", context });
    }
    PatternPersistence.saveToJson(library, file);
    const loaded = PatternPersistence.loadFromJson(file);
    expect([...loaded.patterns]).toEqual([...library.patterns]);
    expect(loaded.agentContributions).toEqual(library.agentContributions);
  });
});
