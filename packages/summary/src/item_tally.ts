import { countText, numberText } from "@perdura/cli/quantities.js";
import type { ComparedFact, ComparedItems } from "./document.ts";

/** Maximum number of items of each result that are named in a fact of their own. */
const NAMED = 20;

/** Results that are named, in the order of the facts. */
const RESULTS = ["missing", "changed", "quarantined", "added"] as const;

/** Counts compared items, and names the first ones that are not the same. */
export class ItemTally {
  readonly counts: Omit<ComparedItems, "subject" | "item" | "before"> = {
    same: 0,
    missing: 0,
    changed: 0,
    quarantined: 0,
    added: 0,
  };
  readonly #subject: string;
  readonly #item: ComparedItems["item"];
  readonly #named: Record<(typeof RESULTS)[number], ComparedFact[]> = {
    missing: [],
    changed: [],
    quarantined: [],
    added: [],
  };

  constructor(subject: string, item: ComparedItems["item"]) {
    this.#subject = subject;
    this.#item = item;
  }

  /** @param describe Returns the name of an item that is not the same, and what it is before and after. */
  add(result: ComparedFact["result"], describe?: () => [name: string, before: string, after: string]): void {
    this.counts[result] += 1;
    if (result === "same" || describe === undefined || this.#named[result].length >= NAMED) return;
    const [name, before, after] = describe();
    this.#named[result].push({ subject: this.#subject, fact: `${this.#item} ${name}`, before, after, result });
  }

  get items(): ComparedItems {
    const { same, missing, changed, quarantined } = this.counts;
    const before = same + missing + changed + quarantined;
    return { subject: this.#subject, item: this.#item, before, ...this.counts };
  }

  /** The worst result; `same` if rows were only added. */
  get result(): ComparedFact["result"] {
    return (["missing", "changed", "quarantined"] as const).find((name) => this.counts[name] > 0) ?? "same";
  }

  /** One fact for all items together, and one for each of the first ones that are not the same. */
  get facts(): ComparedFact[] {
    const [subject, counts] = [this.#subject, this.counts];
    const named = RESULTS.flatMap((result) => this.#named[result]);
    return [
      {
        subject,
        fact: `each ${this.#item}`,
        before: countText(this.items.before, this.#item),
        after: [
          `${numberText(counts.same)} the same`,
          ...RESULTS.flatMap((name) => (counts[name] === 0 ? [] : [`${numberText(counts[name])} ${name}`])),
        ].join(", "),
        result: this.result,
      },
      ...named,
      ...RESULTS.flatMap((result) => {
        const unnamed = counts[result] - this.#named[result].length;
        const fact = countText(unnamed, `more ${this.#item}`);
        return unnamed === 0 ? [] : [{ subject, fact, before: "", after: "not listed", result }];
      }),
    ];
  }
}
