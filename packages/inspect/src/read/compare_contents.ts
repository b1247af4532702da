import { isDeepStrictEqual } from "node:util";
import { numberText } from "@perdura/cli/quantities.js";
import type { ListedUser } from "@perdura/internals/metrics/overview.js";
import type { ComparedFact } from "@perdura/summary/document.js";
import { durationText, percentText } from "../render/figures.ts";
import type { Contents, MetricsContents } from "./contents.ts";

/** Relative difference that is allowed between two means, which sums in another order may have. */
const TOLERANCE = 1e-9;

/** Compares the figures of two targets, and every user, pattern and state. */
export function compareContents(before: Contents, after: Contents): ComparedFact[] {
  return [
    ...pairs(before.metrics, after.metrics).flatMap(([name, one, other]) =>
      metricsFacts(named("metrics", name), one, other),
    ),
    ...pairs(before.patterns, after.patterns).flatMap(([name, one, other]) =>
      itemFacts(named("patterns", name), "pattern", one ?? new Map(), other ?? new Map(), isDeepStrictEqual),
    ),
    ...(before.states.size + after.states.size === 0
      ? []
      : itemFacts("states", "state", before.states, after.states, isDeepStrictEqual)),
    ...after.unreadable.map(({ path, reason }): ComparedFact => ({
      subject: path,
      fact: "readable",
      before: "",
      after: reason,
      result: "changed",
    })),
  ];
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

function metricsFacts(
  subject: string,
  before: MetricsContents | undefined,
  after: MetricsContents | undefined,
): ComparedFact[] {
  const [one, other] = [before?.overview, after?.overview];
  const fact = (
    name: string,
    left: number | string | null | undefined,
    right: typeof left,
    show: (value: number | string) => string = String,
  ): ComparedFact => ({
    subject,
    fact: name,
    before: left === undefined || left === null ? "" : show(left),
    after: right === undefined || right === null ? "" : show(right),
    result: left === undefined ? "added" : right === undefined ? "missing" : isEqual(left, right) ? "same" : "changed",
  });
  const levels = before?.hasLevels === true ? ([1, 2, 3, 4, 5] as const) : [];
  return [
    fact("operations", one?.operations, other?.operations, (value) => numberText(Number(value))),
    fact("users", one?.users, other?.users, (value) => numberText(Number(value))),
    fact("success rate", one?.success_rate, other?.success_rate, (value) => percentText(Number(value))),
    fact("mean response time", one?.avg_response_time_ms, other?.avg_response_time_ms, (value) =>
      durationText(Number(value)),
    ),
    fact("first use", one?.first_use, other?.first_use),
    fact("last use", one?.last_use, other?.last_use),
    ...levels.map((level) =>
      fact(`operations at level ${level}`, one?.[`level_${level}_count`], other?.[`level_${level}_count`], (value) =>
        numberText(Number(value)),
      ),
    ),
    ...itemFacts(
      subject,
      "user",
      before?.users ?? new Map<string, ListedUser>(),
      after?.users ?? new Map<string, ListedUser>(),
      (left, right) => isSameUser(left, right, levels.length > 0),
    ),
  ];
}

function isEqual(left: number | string | null, right: number | string | null | undefined): boolean {
  if (typeof left !== "number" || typeof right !== "number") return left === right;
  return left === right || Math.abs(left - right) <= TOLERANCE * Math.max(Math.abs(left), Math.abs(right));
}

/** Levels that were lost before cannot be compared. */
function isSameUser(before: ListedUser, after: ListedUser, withLevels: boolean): boolean {
  const names = ["total_operations", "success_rate", "avg_response_time_ms", "first_use", "last_use"] as const;
  const levels = ["level_1_count", "level_2_count", "level_3_count", "level_4_count", "level_5_count"] as const;
  return [...names, ...(withLevels ? levels : [])].every((name) => isEqual(before[name], after[name]));
}

/** Maximum number of items that are named in a fact of their own. */
const NAMED = 100;

/** One fact for all equal items, and one for each other item. */
function itemFacts<Item>(
  subject: string,
  what: string,
  before: ReadonlyMap<string, Item>,
  after: ReadonlyMap<string, Item>,
  isSame: (left: Item, right: Item) => boolean,
): ComparedFact[] {
  const facts: ComparedFact[] = [];
  let same = 0;
  let unnamed = 0;
  const add = (name: string, result: ComparedFact["result"]): void => {
    if (facts.length >= NAMED) unnamed += 1;
    else
      facts.push({
        subject,
        fact: `${what} ${name}`,
        before: result === "added" ? "" : "present",
        after: result === "missing" ? "" : result === "changed" ? "different" : "present",
        result,
      });
  };
  for (const [name, item] of before) {
    const other = after.get(name);
    if (other === undefined) add(name, "missing");
    else if (isSame(item, other)) same += 1;
    else add(name, "changed");
  }
  for (const name of after.keys()) if (!before.has(name)) add(name, "added");
  return [
    {
      subject,
      fact: `${what}s`,
      before: numberText(before.size),
      after: numberText(after.size),
      result: same === before.size ? "same" : "changed",
    },
    ...facts,
    ...(unnamed === 0
      ? []
      : [{ subject, fact: `${numberText(unnamed)} more ${what}s`, before: "", after: "", result: "changed" as const }]),
  ];
}
