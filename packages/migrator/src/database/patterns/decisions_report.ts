import type { PatternChoice, UnusualRows } from "../../core/report.ts";
import {
  ALL_DECISIONS,
  effectUnder,
  type KeptProblem,
  type InvalidPatterns,
  type PatternDecisions,
} from "@perdura/internals/validity/decide_patterns.js";
import {
  assignedText,
  defaultText,
  type Effect,
  type Effects,
  effectsOn,
  PATTERN_KINDS,
} from "@perdura/internals/validity/pattern_kinds.js";
import { PATTERN_FIELDS } from "@perdura/internals/validity/pattern_fields.js";
import { quote } from "@perdura/internals/text/describe.js";

/** Maximum number of values, ids and places of each kind in the report. */
const EXAMPLES = 5;

/** An option that repairs problems of one kind, and its result. */
type WayOut = NonNullable<UnusualRows["ways"]>[number];

interface Counted extends UnusualRows {
  shown: Map<string, number>;
  places: string[];
}

/** Counts problems by kind and field, for the report. */
export class ProblemCounter {
  readonly #kinds = new Map<string, Counted>();
  readonly #decisions: PatternDecisions;
  readonly #assignsIds: boolean;

  /** @param assignsIds False if ids cannot be given. */
  constructor(decisions: PatternDecisions, assignsIds = true) {
    this.#decisions = decisions;
    this.#assignsIds = assignsIds;
  }

  /**
   * Adds the problems of one pattern.
   *
   * @param placeOf The place of a problem: a JSON Pointer in a document, a row and a column in a table.
   * @param readable True if the decisions make the pattern readable.
   */
  addPattern(
    problems: readonly KeptProblem[],
    id: string,
    placeOf: (problem: KeptProblem) => string,
    readable: boolean,
  ): void {
    const seen = new Set<string>();
    for (const problem of problems) {
      const all = effectsOn(problem.code, problem.pointer);
      const effects = problem.field === "id" && !this.#assignsIds ? { ...all, ids: undefined } : all;
      const kind: Omit<UnusualRows, "rows" | "blocks" | "values" | "row_ids"> = {
        kind: `pattern_${problem.code}`,
        description: PATTERN_KINDS[problem.code].text.replace("{field}", fieldName(problem.field)),
        decision: decisionOf(effects),
        ways: waysOf(effects, problem),
        ...this.#repairOf(problem),
      };
      const first = !seen.has(keyOf(kind));
      seen.add(keyOf(kind));
      // One value can have several problems of a kind.
      const value = `${keyOf(kind)} ${problem.shown}`;
      const shown = seen.has(value) ? undefined : problem.shown;
      seen.add(value);
      this.add(kind, { id: first ? id : undefined, place: placeOf(problem), shown, blocks: !readable });
    }
  }

  #repairOf(problem: KeptProblem): Pick<UnusualRows, "repair"> {
    const effect = effectUnder(problem, this.#decisions);
    if (effect === undefined || (effect === "id" && problem.field === "id" && !this.#assignsIds)) return {};
    return { repair: resultText(effect, problem) };
  }

  /** Adds one problem; without an id it is a further one of the same pattern. */
  add(
    kind: Omit<UnusualRows, "rows" | "blocks" | "values" | "row_ids">,
    { id, place, shown, blocks }: { id: string | undefined; place: string; shown: string | undefined; blocks: boolean },
  ): void {
    const key = keyOf(kind);
    let counted = this.#kinds.get(key);
    if (counted === undefined) {
      counted = { ...kind, rows: 0, blocks: false, values: [], row_ids: [], places: [], shown: new Map() };
      this.#kinds.set(key, counted);
    }
    counted.blocks ||= blocks;
    if (counted.places.length < EXAMPLES) counted.places.push(place);
    if (id !== undefined) {
      counted.rows += 1;
      if (counted.row_ids.length < EXAMPLES) counted.row_ids.push(id);
    }
    if (shown !== undefined && (counted.shown.size < EXAMPLES || counted.shown.has(shown)))
      counted.shown.set(shown, (counted.shown.get(shown) ?? 0) + 1);
  }

  reports(): UnusualRows[] {
    return [...this.#kinds.values()].map(({ shown, ...counted }) => ({
      ...counted,
      values: [...shown].map(([literal, rows]) => ({ literal, rows })),
    }));
  }
}

const keyOf = ({ kind, description, ways }: Pick<UnusualRows, "kind" | "description" | "ways">): string =>
  JSON.stringify([kind, description, ways]);

/** The problems of a pattern in words, each once. */
export function reasonsOf(problems: readonly KeptProblem[]): string[] {
  const reasons = problems.map(({ code, field }) => PATTERN_KINDS[code].text.replace("{field}", fieldName(field)));
  return [...new Set(reasons)];
}

/** A field by its name; names that 16 does not know are quoted, because they can be any text. */
function fieldName(field: string | undefined): string {
  if (field === undefined) return "the pattern";
  return PATTERN_FIELDS.some((known) => known === field) ? field : quote(field);
}

function decisionOf({ nonFiniteNull, nonFiniteText, timestamps, ids }: Effects): UnusualRows["decision"] {
  if (nonFiniteNull !== undefined || nonFiniteText !== undefined) return "nonFinite";
  if (timestamps !== undefined) return "timestamps";
  return ids === undefined ? null : "patternIds";
}

function waysOf(effects: Effects, problem: KeptProblem): WayOut[] {
  const ways: [option: string, effect: Effect | undefined][] = [
    ["--non-finite null", effects.nonFiniteNull],
    ["--non-finite text", effects.nonFiniteText],
    ["--timestamps drop-zone or utc", effects.timestamps],
    ["--pattern-ids assign", effects.ids],
  ];
  return ways.flatMap(([option, effect]) =>
    effect === undefined ? [] : [{ option, result: resultText(effect, problem) }],
  );
}

/** A repair in words. */
function resultText(effect: Effect, { code, field = "", pointer }: KeptProblem): string {
  const isField = pointer === `/${field}` && PATTERN_FIELDS.some((known) => known === field);
  switch (effect) {
    case "null":
      return isField ? `becomes null, which version 16 reads as ${defaultText(field)}` : "becomes null";
    case "text":
      return 'becomes text, such as "NaN"';
    case "timestamp":
      return "is converted";
    case "id":
      return `becomes ${assignedText(code, field)}`;
  }
}

/** Outcome of one combination of decisions. */
export interface ChoiceOutcome {
  complete: boolean;
  quarantined: number;
  /** Number of values outside the patterns that are removed. */
  removed: number;
  changed: number;
}

/**
 * The combinations of decisions after which version 16 reads everything, best first: fewest patterns in quarantine,
 * then fewest other values that are removed, then fewest changed values, then fewest options.
 *
 * @param extra Decisions that concern other parts than the patterns.
 */
export function choicesFor(
  invalid: InvalidPatterns<unknown>,
  outcome: (decisions: PatternDecisions, quarantines: boolean) => ChoiceOutcome,
  extra: Partial<Record<keyof PatternDecisions, boolean>> = {},
): PatternChoice[] {
  const found = relevantDecisions(invalid, extra).flatMap((decisions) =>
    [false, true].flatMap((quarantines): PatternChoice[] => {
      const { complete, quarantined, removed, changed } = outcome(decisions, quarantines);
      if (!complete || (quarantines && outcome(decisions, false).complete)) return [];
      const { nonFinite, timestamps, patternIds } = decisions;
      return [
        {
          non_finite: nonFinite,
          timestamps,
          pattern_ids: patternIds,
          invalid_rows: quarantines ? "quarantine" : "abort",
          quarantined,
          removed,
          changed,
        },
      ];
    }),
  );
  return sortedChoices(found);
}

/** The combinations of decisions that differ in their results. */
export function relevantDecisions(
  invalid: InvalidPatterns<unknown>,
  extra: Partial<Record<keyof PatternDecisions, boolean>>,
): readonly PatternDecisions[] {
  const all = ["nonFinite", "timestamps", "patternIds"] as const;
  const concerned = all.filter((decision) => extra[decision] === true || invalid.concerns(decision));
  return ALL_DECISIONS.filter((decisions) =>
    all.every((decision) => decisions[decision] === null || concerned.includes(decision)),
  );
}

/** Choices in the order of {@link choicesFor}. */
export function sortedChoices(choices: readonly PatternChoice[]): PatternChoice[] {
  const options = ({ non_finite: tokens, timestamps, pattern_ids: ids, invalid_rows: rows }: PatternChoice): number =>
    [tokens, timestamps, ids].filter((value) => value !== null).length + (rows === "quarantine" ? 1 : 0);
  return choices.toSorted(
    (one, other) =>
      one.quarantined - other.quarantined ||
      one.removed - other.removed ||
      one.changed - other.changed ||
      options(one) - options(other),
  );
}

/** Words for the values of an option, in the order of the command line. */
const WORDS = {
  non_finite: ["repair them with --non-finite", ["null", "text"]],
  timestamps: ["repair them with --timestamps", ["drop-zone", "utc"]],
  pattern_ids: ["give them new ids with --pattern-ids", ["assign"]],
} as const;

const QUARANTINE = "move them to quarantine with --invalid-rows quarantine";

/**
 * The pending decisions about invalid patterns, in a sentence: only options that help with some of them.
 *
 * @param unusual Those that are not decided.
 */
export function pendingDecisions(unusual: readonly UnusualRows[], choices: readonly PatternChoice[]): string | null {
  const open = unusual.filter(({ blocks }) => blocks);
  if (open.length === 0) return null;
  const offered = new Set(open.flatMap(({ ways = [] }) => ways.map(({ option }) => option)));
  const repairs = Object.values(WORDS).flatMap(([words, values]) => {
    const flag = words.slice(words.lastIndexOf(" ") + 1);
    const helping = values.filter((value) =>
      [...offered].some((option) => option.startsWith(flag) && option.split(" ").includes(value)),
    );
    return helping.length === 0 ? [] : [`${words} ${helping.join(" or ")}`];
  });
  const ways = [...repairs, ...(choices.some(({ invalid_rows: rows }) => rows === "quarantine") ? [QUARANTINE] : [])];
  const list =
    ways.length === 0
      ? ""
      : `${ways
          .slice(0, -1)
          .map((way) => `, ${way}`)
          .join("")}, or ${ways.at(-1)}`;
  const parts = open.filter(({ kind }) => kind.startsWith("library_")).length;
  const what =
    parts === 0 ? "patterns" : parts === open.length ? "values outside the patterns" : "patterns and other values";
  return `Version 16 cannot read some ${what}. Correct them${list}.`;
}
