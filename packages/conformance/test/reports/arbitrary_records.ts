import fc from "fast-check";
import { VERDICTS } from "../../src/results/record.ts";
import type { CaseRecord, ReportRecord } from "../../src/results/record.ts";
import { HOSTILE } from "./everything.ts";
import { caseRecord, failing, REQUIREMENTS, stream } from "./sample_records.ts";
import { ANY_CHARACTER } from "../../../../test/any_character.ts";
import { PAYLOADS } from "../../../../test/hostile/payloads.ts";

const text = fc.oneof(
  fc.string({ unit: ANY_CHARACTER, maxLength: 40 }),
  fc.constantFrom(HOSTILE, ...PAYLOADS),
  fc.constant("plain"),
);

/** A case with any verdict, any level and hostile texts, as far as a run can produce it. */
const anyCase: fc.Arbitrary<Omit<CaseRecord, "id">> = fc
  .record({
    verdict: fc.constantFrom(...VERDICTS),
    row: fc.constantFrom(...REQUIREMENTS),
    title: text,
    reason: text,
    wanted: text,
    got: text,
    listed: fc.option(fc.boolean(), { freq: 4 }),
    diagnostics: text,
  })
  .map(({ verdict, row, title, reason, wanted, got, listed, diagnostics }) => {
    const observed = verdict === "observed";
    const { level } = row;
    const base = { title: title === "" ? "untitled" : title, level, requirements: [row.id], verdict, diagnostics };
    const scored = level === "must" || level === "should" || (level === "observe" && !observed);
    const made = verdict === "fail" ? failing("a/a", base) : caseRecord("a/a", base);
    if (["unsupported", "crash"].includes(verdict)) made.reason = reason;
    const canBeListed = !["not-run", "inapplicable", "harness-error"].includes(verdict);
    return {
      ...made,
      scored,
      failures: made.failures.map((failure) => ({ ...failure, at: reason, wanted, got })),
      ...(observed ? { as_ruled: got.length % 2 === 0 } : {}),
      ...(listed === null || !canBeListed
        ? {}
        : { expected: { verdict: "fail" as const, kind: "bug", link: got, met: listed && verdict === "fail" } }),
    };
  });

/** Complete streams of up to thirty cases in two areas. */
export const anyStream: fc.Arbitrary<ReportRecord[]> = fc
  .record({ cases: fc.array(anyCase, { maxLength: 30 }), name: text, stray: fc.array(text, { maxLength: 2 }) })
  .map(({ cases, name, stray }) =>
    stream(
      cases.map((made, index) => ({ ...made, id: `${index % 2 === 0 ? "even" : "uneven"}/case-${index}` })),
      {
        run: { implementation: { name: name || "x", version: name || "1", language: name || "C" } },
        stray: stray.map((what) => ({ id: "gone/gone", what })),
      },
    ),
  );
