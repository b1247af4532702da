import fc from "fast-check";
import { ANY_CHARACTER } from "../../../test/any_character.ts";
import type { Comparison, Summary, UserSummary } from "../src/document.ts";
import {
  emptySummary,
  richSummary,
  sampleDatabase,
  sampleMetrics,
  samplePatterns,
  sampleStates,
} from "./sample_summaries.ts";

/** Texts that would break a page if they were inserted without escaping. */
export const HOSTILE: readonly string[] = [
  `</script><script>globalThis.stolen = 1</script><x-evil>`,
  `"><x-evil onclick=alert(1)>`,
  `' onmouseover='globalThis.stolen=1' x='`,
  `<!--<script><x-evil>`,
  `-->]]></style></textarea></title><x-evil>`,
  `\u202eevil\u2066\u200b\u2028\u2029\ufeff\u0000\u0007\u001b[31m`,
  `\ud800 lone \udfff`,
  `__proto__`,
  `constructor`,
  `javascript:alert(1)`,
  `&lt;&#0;&amp`,
  `${"long/".repeat(4000)}end`,
  `\\u003cscript>`,
  ``,
];

const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE) },
  fc.string({ unit: ANY_CHARACTER, maxLength: 30 }),
  fc
    .array(fc.constantFrom("<", ">", '"', "'", "&", "`", "\ud83d", "\udc4d", "\u202e", "/script", "x-evil"), {
      maxLength: 12,
    })
    .map((parts) => parts.join("")),
);

const anyNumber = fc.oneof(
  fc.double(),
  fc.constantFrom(0, -1, 1, 0.9999, 1e-9, 1e21, Number.NaN, Infinity, -Infinity, 2 ** 60),
);
const orNull = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.option(arbitrary, { nil: null });

/** Summaries with the same structure as real ones, and any texts and numbers. */
export const anySummary: fc.Arbitrary<Summary> = fc
  .record({ texts: fc.array(anyText, { minLength: 1, maxLength: 12 }), number: anyNumber, other: orNull(anyNumber) })
  .map(({ texts, number, other }) => hostileSummary(texts, number, other));

export const anyComparison: fc.Arbitrary<Comparison> = fc
  .record({ before: anySummary, after: anySummary, texts: fc.array(anyText, { minLength: 1 }), complete: fc.boolean() })
  .map(({ before, after, texts, complete }) => ({
    format: "perdura-comparison-1",
    made_at: texts[0] as string,
    program: texts[0] as string,
    before,
    after,
    compared: texts.map((subject, index) => ({
      subject,
      item: (["row", "pattern", "usage row", "state"] as const)[index % 4] as "row",
      before: 5,
      same: 1,
      missing: 1,
      changed: 1,
      quarantined: 2,
      added: 1,
    })),
    facts: texts.map((text, index) => ({
      subject: text,
      fact: text,
      before: text,
      after: text,
      result: (["same", "added", "missing", "changed", "quarantined"] as const)[index % 5] as "same",
    })),
    complete,
  }));

/** A summary in which each text is one of `texts`, in turn. */
export function hostileSummary(texts: readonly string[], number = 3, other: number | null = null): Summary {
  let at = 0;
  const text = (): string => texts[at++ % texts.length] as string;
  const metrics = sampleMetrics({ days: 4, users: 0 });
  const user = (trust_trajectory: UserSummary["trust_trajectory"]): UserSummary => ({
    user_id: text(),
    total_operations: number,
    success_rate: number,
    avg_response_time_ms: number,
    p95: number,
    current_level: other,
    first_use: text(),
    last_use: text(),
    trust: number,
    trust_trajectory,
  });
  const patterns = samplePatterns({ patterns: 3 });
  const states = sampleStates("", 1);
  const named = () => texts.map((name) => ({ name, patterns: number }));
  const shownPatterns = () => ({
    ...patterns,
    by_type: named(),
    by_agent: named(),
    top_patterns: patterns.top_patterns.map((pattern) => ({
      ...pattern,
      id: text(),
      agent_id: text(),
      pattern_type: text(),
      name: text(),
      confidence: number,
      tags: [text(), text()],
      last_used: text(),
    })),
  });
  const shownStates = () => ({
    ...states,
    path: text(),
    avg_trust: other,
    top_states: states.top_states.map((state) => ({
      ...state,
      user_id: text(),
      trust_level: other,
      created_at: text(),
    })),
  });
  const recent = (p95: number) => ({ total_operations: 40, success_rate: 1 / p95, avg_response_time_ms: number, p95 });
  const figures = {
    total_operations: number,
    success_rate: number,
    avg_response_time_ms: number,
    p50: null,
    p95: number,
    p99: other,
    numbers: { [text()]: { count: number, sum: number, mean: number } },
  };
  return {
    ...emptySummary(),
    made_at: text(),
    program: text(),
    targets: [text(), text()],
    databases: [
      sampleDatabase(text(), {
        layout: text(),
        bytes: 1,
        metrics: {
          ...metrics,
          users: number,
          operations: number,
          success_rate: number,
          avg_response_time_ms: number,
          first_use: text(),
          last_use: text(),
          other_levels: number,
          without_time: 2,
          breakdowns: [
            {
              key: text(),
              values: [
                { value: text(), ...figures },
                { value: { [text()]: [text()] }, ...figures },
                { value: null, ...figures },
                { others: 7, ...figures },
              ],
              recent: [
                { value: text(), before: recent(10), now: recent(20) },
                { value: { [text()]: text() }, before: recent(10), now: recent(20) },
                { value: null, before: null, now: recent(1) },
              ],
            },
            { key: text(), values: null, recent: null },
          ],
          top_users: [user([null, number, other, 0.5]), user([0.1, 0.2, 0.3, 0.4]), user(null)],
        },
        patterns: shownPatterns(),
        quarantined: [{ table: text(), reason: text(), rows: 3 }],
      }),
      sampleDatabase(text()),
    ],
    libraries: [{ path: text(), bytes: 1, patterns: shownPatterns() }],
    state_directories: [shownStates()],
    archives: [shownStates()],
    backups: [{ path: text(), bytes: 1, of: text() }],
    left_alone: [{ path: text(), reason: text() }],
    unreadable: [{ path: text(), reason: text() }],
  };
}

/** A summary with thousands of users. */
export function crowdedSummary(users: number): Summary {
  return richSummary({ users, patterns: users, trajectories: 50 });
}
