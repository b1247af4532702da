import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeLibraryBytes } from "../../src/judge_file/judge_library.ts";
import { checkText } from "./hand_made.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { PATTERN } from "../../../../test/random_library.ts";

const folder = freshFolder();
/** A timestamp as in a document, with a T. */
const moment = PATTERN.last_used.map((time) => time?.replace(" ", "T") ?? null);
const pattern = fc.record(
  {
    ...PATTERN,
    agent_id: fc.constantFrom("agent 1", "__proto__", "\u0430\u0433"),
    discovered_at: moment,
    last_used: moment,
  },
  { requiredKeys: ["agent_id", "pattern_type", "name"] },
);

/** A library as a text, with its patterns in the form of JSON.stringify. */
const library = fc
  .record({ patterns: fc.array(pattern, { minLength: 1, maxLength: 8 }), indent: fc.constantFrom(0, 2, "\t") })
  .map(({ patterns, indent }) => ({
    indent,
    patterns: patterns.map((fields, index): Record<string, unknown> => ({ ...fields, id: `p${index}` })),
  }));

function textOf({ patterns, indent }: { patterns: Record<string, unknown>[]; indent: string | number }): string {
  const owners = Map.groupBy(patterns, ({ agent_id: agent }) => String(agent));
  const contributions = Object.fromEntries([...owners].map(([agent, owned]) => [agent, owned.map(({ id }) => id)]));
  const metadata = { saved_at: "2025-12-01T21:36:57", pattern_count: patterns.length, version: "1.0" };
  return JSON.stringify({ patterns, agent_contributions: contributions, metadata }, null, indent);
}

const MARK = "the value that is wrong";
const BREAKAGES: [field: string, value: unknown, requirement: string][] = [
  ["id", 987654321, "R-2.1/text"],
  ["agent_id", [MARK], "R-2.1/text"],
  ["pattern_type", { MARK }, "R-2.1/text"],
  ["name", 987654321, "R-2.1/text"],
  ["description", 987654321, "R-2.1/text"],
  ["code", [MARK], "R-2.1/text"],
  ["context", MARK, "R-2.1/context.object"],
  ["confidence", MARK, "R-2.1/confidence.real"],
  ["usage_count", 987654321.5, "R-2.1/counts.integer"],
  ["success_count", MARK, "R-2.1/counts.integer"],
  ["tags", MARK, "R-2.1/tags.array"],
  ["discovered_at", MARK, "R-2.1/timestamp.json"],
  ["last_used", "2025-02-30T10:00:00", "R-2.1/timestamp.json"],
  ["updated_at", MARK, "R-2.1/updated-at.sqlite-only"],
];

describe("any library", () => {
  it("that follows section 2 conforms", () => {
    fc.assert(
      fc.property(library, (made) => {
        expect(judgeLibraryBytes(Buffer.from(textOf(made))).filter(({ level }) => level === "error")).toEqual([]);
      }),
    );
  });

  it("with one wrong value is refused at its pointer, line and column", () => {
    fc.assert(
      fc.property(library, fc.constantFrom(...BREAKAGES), fc.nat(), (made, [field, value, requirement], number) => {
        const index = number % made.patterns.length;
        const patterns = made.patterns.map((whole, at) => (at === index ? { ...whole, [field]: value } : whole));
        const broken = textOf({ ...made, patterns });
        const finding = judgeLibraryBytes(Buffer.from(broken)).find(({ level }) => level === "error");
        expect(finding).toMatchObject({ requirement, at: `/patterns/${index}/${field}` });
        const place = (broken.split("\n")[(finding?.line ?? 0) - 1] ?? "").slice((finding?.column ?? 0) - 1);
        expect(place.startsWith(JSON.stringify(value, null, made.indent).split("\n")[0] as string)).toBe(true);
      }),
    );
  });

  it("that is truncated anywhere, or has random bytes, is not JSON", () => {
    const whole = textOf({
      patterns: [{ id: "p", agent_id: "a", pattern_type: "t", name: "\u00fc", context: { a: [1, null, true] } }],
      indent: 2,
    });
    const bytes = Buffer.from(whole);
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), (length) => {
        const findings = judgeLibraryBytes(bytes.subarray(0, length));
        expect(findings).toHaveLength(1);
        expect(findings[0]?.line).toBeGreaterThan(0);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array(), (random) => {
        expect(checkText(folder, random).conforms).toBe(false);
      }),
      { numRuns: 50 },
    );
  });
});
