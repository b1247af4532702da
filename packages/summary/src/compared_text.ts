import { countText, numberText } from "@perdura/cli/quantities.js";
import type { ComparedItems } from "./document.ts";

/** Name of one item, and of several. */
const NOUNS: Record<ComparedItems["item"], [string, string]> = {
  row: ["row of metrics", "rows of metrics"],
  pattern: ["pattern", "patterns"],
  "usage row": ["usage row of patterns", "usage rows of patterns"],
  state: ["state", "states"],
};

const WORDS = { missing: "missing", changed: "changed", quarantined: "in quarantine", added: "added" } as const;

/** Words and numbers for a result: `40 rows of metrics compared, 1 missing, 10 added; 3 states compared, …`. */
export function comparedText(compared: readonly ComparedItems[]): string {
  return sumsByKind(compared).map(itemsText).join("; ");
}

/** The items that are not complete, in words and numbers: `1 row of metrics is missing, 2 patterns have changed`. */
export function lossesText(compared: readonly ComparedItems[]): string {
  return sumsByKind(compared)
    .flatMap(({ item, missing, changed }) => [
      ...(missing === 0 ? [] : [`${countText(missing, ...NOUNS[item])} ${missing === 1 ? "is" : "are"} missing`]),
      ...(changed === 0 ? [] : [`${countText(changed, ...NOUNS[item])} ${changed === 1 ? "has" : "have"} changed`]),
    ])
    .join(", ");
}

function sumsByKind(compared: readonly ComparedItems[]): ComparedItems[] {
  const kinds = new Map<string, ComparedItems>();
  for (const items of compared) {
    const sum = kinds.get(items.item);
    if (sum === undefined) kinds.set(items.item, { ...items });
    else for (const name of ["before", "same", ...RESULTS] as const) sum[name] += items[name];
  }
  return [...kinds.values()];
}

const RESULTS = ["missing", "changed", "quarantined", "added"] as const;

function itemsText(items: ComparedItems): string {
  const [one, many] = NOUNS[items.item];
  const found = RESULTS.filter((name) => items[name] > 0).map((name) => `${numberText(items[name])} ${WORDS[name]}`);
  return [
    `${countText(items.before, one, many)} compared`,
    ...(found.length > 0 ? found : items.before > 0 ? ["all the same"] : []),
  ].join(", ");
}
