import { isDeepStrictEqual } from "node:util";
import { countText, numberText } from "@perdura/cli/quantities.js";
import type { ListedUser } from "@perdura/internals/metrics/overview_stats.js";
import type { Contents, MetricsContents, PatternContents } from "./contents.ts";
import type { ComparedFact } from "./document.ts";
import { durationText, percentText } from "./figure_texts.ts";

/** Relative difference that is allowed between two means, because sums depend on the order of addition. */
const TOLERANCE = 1e-9;

/** Compares the figures of two targets, and every user, pattern and state. */
export function compareContents(before: Contents, after: Contents): ComparedFact[] {
  return [
    ...pairs(before.metrics, after.metrics).flatMap(([name, one, other]) =>
      metricsFacts(named("metrics", name), one, other),
    ),
    ...pairs(before.patterns, after.patterns).flatMap(([name, one, other]) =>
      patternFacts(named("patterns", name), one, other),
    ),
    ...(before.states.size + after.states.size === 0
      ? []
      : itemFacts({
          subject: "states",
          what: "state",
          before: before.states,
          after: after.states,
          judge: (left, right) => (right !== undefined && isDeepStrictEqual(left, right) ? "same" : undefined),
        })),
    ...before.unreadable.map(({ path, reason }) => unreadableFact(path, reason, "")),
    ...after.unreadable.map(({ path, reason }) => unreadableFact(path, "", reason)),
  ];
}

/** A fact about data that cannot be read, and therefore may be missing. */
function unreadableFact(path: string, before: string, after: string): ComparedFact {
  return { subject: path, fact: "cannot be read", before, after, result: "changed" };
}

function named(subject: string, name: string): string {
  return name === "" ? subject : `${subject} of ${name}`;
}

/** Items with the same names; a single item on each side is compared whatever its name. */
function pairs<Item>(
  before: Map<string, Item>,
  after: Map<string, Item>,
): [string, Item | undefined, Item | undefined][] {
  const [only, other] = [[...before], [...after]];
  if (only.length === 1 && other.length === 1) return [["", only[0]?.[1], other[0]?.[1]]];
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].toSorted().map((name) => [name, before.get(name), after.get(name)]);
}

type Figure = number | string | null | undefined;

function metricsFacts(
  subject: string,
  before: MetricsContents | undefined,
  after: MetricsContents | undefined,
): ComparedFact[] {
  const [one, other] = [before?.overview, after?.overview];
  const moved = [...(after?.quarantined.values() ?? [])].reduce((sum, rows) => sum + rows, 0);
  const rest = (other?.operations ?? 0) + moved - (one?.operations ?? 0);
  // Figures of other rows differ, even if every row of before is still there: only their numbers can be compared.
  const otherRows = rest > 0 ? "added" : rest === 0 && moved > 0 ? "quarantined" : "changed";
  const fact = (
    name: string,
    left: Figure,
    right: Figure,
    show: (value: number | string) => string = String,
  ): ComparedFact => ({
    subject,
    fact: name,
    before: left === undefined || left === null ? "" : show(left),
    after: right === undefined || right === null ? "" : show(right),
    result: left === undefined ? "added" : right === undefined ? "missing" : isEqual(left, right) ? "same" : otherRows,
  });
  const count = (value: number | string): string => numberText(Number(value));
  const levels = before?.hasLostLevels === false ? LEVELS : [];
  return [
    fact("operations", one?.operations, other?.operations, count),
    ...(moved === 0
      ? []
      : [
          {
            subject,
            fact: "operations in quarantine",
            before: "",
            after: numberText(moved),
            result: rest >= 0 ? ("quarantined" as const) : ("changed" as const),
          },
        ]),
    fact("users", one?.users, other?.users, count),
    fact("success rate", one?.success_rate, other?.success_rate, (value) => percentText(Number(value))),
    fact("mean response time", one?.avg_response_time_ms, other?.avg_response_time_ms, (value) =>
      durationText(Number(value)),
    ),
    fact("first use", one?.first_use, other?.first_use),
    fact("last use", one?.last_use, other?.last_use),
    ...levels.map((name, index) => fact(`operations at level ${index + 1}`, one?.[name], other?.[name], count)),
    ...itemFacts({
      subject,
      what: "user",
      before: before?.users ?? new Map<string, ListedUser>(),
      after: after?.users ?? new Map<string, ListedUser>(),
      judge: (left, right) => {
        if (right !== undefined && isSameUser(left, right, levels.length > 0)) return "same";
        const rows = after?.quarantined.get(left.user_id) ?? 0;
        const more = (right?.total_operations ?? 0) + rows - left.total_operations;
        return more > 0 ? "added" : more === 0 && rows > 0 ? "quarantined" : undefined;
      },
    }),
  ];
}

const LEVELS = ["level_1_count", "level_2_count", "level_3_count", "level_4_count", "level_5_count"] as const;

function isEqual(left: number | string | null, right: number | string | null | undefined): boolean {
  if (typeof left !== "number" || typeof right !== "number") return left === right;
  return left === right || Math.abs(left - right) <= TOLERANCE * Math.max(Math.abs(left), Math.abs(right));
}

/** @param withLevels False if the levels were lost before: they cannot be compared. */
function isSameUser(before: ListedUser, after: ListedUser, withLevels: boolean): boolean {
  const names = ["total_operations", "success_rate", "avg_response_time_ms", "first_use", "last_use"] as const;
  return [...names, ...(withLevels ? ([...LEVELS, "current_level"] as const) : [])].every((name) =>
    isEqual(before[name] ?? null, after[name] ?? null),
  );
}

const NO_PATTERNS: PatternContents = { patterns: new Map(), asText: new Map(), quarantined: new Set() };

function patternFacts(
  subject: string,
  before: PatternContents = NO_PATTERNS,
  after: PatternContents = NO_PATTERNS,
): ComparedFact[] {
  return itemFacts({
    subject,
    what: "pattern",
    before: before.patterns,
    after: after.patterns,
    judge: (left, right) => {
      if (right !== undefined)
        return [left, before.asText.get(left.id)].some((each) => isDeepStrictEqual(each, right)) ? "same" : undefined;
      return after.quarantined.has(left.id) ? "quarantined" : undefined;
    },
  });
}

/** Maximum number of items that are named in a fact of their own. */
const NAMED = 100;

interface Items<Item> {
  subject: string;
  what: string;
  before: ReadonlyMap<string, Item>;
  after: ReadonlyMap<string, Item>;
  /** Undefined for an item that differs or is missing. */
  judge: (before: Item, after: Item | undefined) => "same" | "added" | "quarantined" | undefined;
}

/** One fact for all items together, and one for each item that is not the same. */
function itemFacts<Item>({ subject, what, before, after, judge }: Items<Item>): ComparedFact[] {
  const found = { same: 0, quarantined: 0, missing: 0, changed: 0, added: 0 };
  const facts: ComparedFact[] = [];
  const add = (name: string, result: Exclude<ComparedFact["result"], "same">): void => {
    found[result] += 1;
    if (facts.length >= NAMED) return;
    const isNew = !before.has(name);
    const now = { quarantined: "in quarantine", missing: "", changed: "different", added: isNew ? "present" : "more" }[
      result
    ];
    facts.push({ subject, fact: `${what} ${name}`, before: isNew ? "" : "present", after: now, result });
  };
  for (const [name, item] of before) {
    const other = after.get(name);
    const result = judge(item, other);
    if (result === "same") found.same += 1;
    else add(name, result ?? (other === undefined ? "missing" : "changed"));
  }
  for (const name of after.keys()) if (!before.has(name)) add(name, "added");
  const result: ComparedFact["result"] =
    found.missing > 0 ? "missing" : found.changed > 0 ? "changed" : found.quarantined > 0 ? "quarantined" : "same";
  const unnamed = found.quarantined + found.missing + found.changed + found.added - facts.length;
  return [
    {
      subject,
      fact: `each ${what}`,
      before: countText(before.size, what),
      after: [
        `${numberText(found.same)} the same`,
        ...(["quarantined", "missing", "changed", "added"] as const).flatMap((name) =>
          found[name] === 0 ? [] : [`${numberText(found[name])} ${name}`],
        ),
      ].join(", "),
      result,
    },
    ...facts,
    ...(unnamed === 0
      ? []
      : [{ subject, fact: `${countText(unnamed, `more ${what}`)}`, before: "", after: "not listed", result }]),
  ];
}
