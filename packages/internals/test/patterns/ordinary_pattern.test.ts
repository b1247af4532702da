import { expect, it } from "vitest";
import { rawNumber } from "../../src/json/values.ts";
import { patternFault } from "../../src/patterns/check_pattern.ts";
import { isOrdinaryPattern } from "../../src/patterns/ordinary_pattern.ts";
import type { PATTERN_FIELDS } from "../../src/validity/pattern_fields.ts";

const FULL = {
  id: "p1",
  agent_id: "agent",
  pattern_type: "sequential",
  name: "Retry once",
  description: "Tries a failed call once more",
  context: { tool: "search" },
  code: "return call() or call()",
  confidence: 0.5,
  usage_count: 2,
  success_count: 1,
  failure_count: 1,
  tags: ["a", "b"],
  discovered_at: "2026-01-15T10:30:00.123456",
  last_used: "2026-01-16T10:30:00",
};

const NONE = { description: null, context: null, code: null, tags: null, discovered_at: null, last_used: null };

it.each([
  ["with all fields", FULL],
  ["with null in all optional fields", { ...FULL, ...NONE }],
  [
    "with empty texts and tags",
    { ...FULL, name: "", pattern_type: "", description: "", code: "", tags: [], context: {} },
  ],
  ["with long and unusual identifiers", { ...FULL, id: "x".repeat(64), agent_id: "\ud7ff" }],
])("a pattern %s is ordinary and valid", (_, pattern) => {
  expect(isOrdinaryPattern(pattern)).toBe(true);
  expect(patternFault(pattern)).toBeUndefined();
});

/** The same members in an object with another prototype. */
const madeOf = (prototype: object | null): object => Object.assign(Object.create(prototype) as object, FULL);
const { last_used, ...others } = FULL;

it.each<[string, unknown]>([
  ["undefined", undefined],
  ["null", null],
  ["a string", "pattern"],
  ["an array", Object.values(FULL)],
  ["an object of a class", madeOf({ toJSON: () => "nothing" })],
  ["an object without a prototype", madeOf(null)],
  ["an object with a custom prototype", madeOf(Object.create(Object.prototype) as object)],
  ["an empty object", {}],
  ["a pattern without its last field", others],
  ["a pattern whose last field comes first", { last_used, ...others }],
  ["a pattern with an additional field", { ...FULL, more: 1 }],
  ["a pattern with a misspelled last field", { ...others, lastUsed: last_used }],
])("%s needs the exact check", (_, value) => {
  expect(isOrdinaryPattern(value)).toBe(false);
});

const NO_IDENTIFIERS = ["", "x".repeat(65), "a\0", "\ud800", "\ue000", 5, null, ["a"]];
const NO_TEXTS = [5, undefined, {}, []];
const NO_COUNTS = ["1", null, 0.5, 2 ** 53, Number.NaN];
const NO_TIMES = [5, "2026-02-30T00:00:00", "2026-01-15", "", new Date(0)];

it.each<[(typeof PATTERN_FIELDS)[number], unknown[]]>([
  ["id", NO_IDENTIFIERS],
  ["agent_id", NO_IDENTIFIERS],
  ["pattern_type", [...NO_TEXTS, null]],
  ["name", [...NO_TEXTS, null]],
  ["description", NO_TEXTS],
  ["context", ["text", 5, [], rawNumber("1.5"), Object.create(null), madeOf({}), undefined]],
  ["code", NO_TEXTS],
  ["confidence", [Number.NaN, Infinity, "0.5", null]],
  ["usage_count", NO_COUNTS],
  ["success_count", NO_COUNTS],
  ["failure_count", NO_COUNTS],
  ["tags", ["a", { 0: "a", length: 1 }, [5], ["a", null], Array(1), undefined]],
  ["discovered_at", NO_TIMES],
  ["last_used", NO_TIMES],
])("a pattern with an unusual %s needs the exact check", (field, values) => {
  for (const value of values)
    expect({ value, is: isOrdinaryPattern({ ...FULL, [field]: value }) }).toEqual({ value, is: false });
});
