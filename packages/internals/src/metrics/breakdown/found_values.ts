import type { BreakdownRow } from "./breakdown.ts";
import { ValueFigures } from "./value_figures.ts";
import { canonicalName, valueOf } from "./value_names.ts";

/** The figures of each value of a key by its name. */
export class FoundValues {
  readonly #numbers: readonly string[];
  /** Null stands for values that are together already. */
  readonly #found = new Map<string | null, ValueFigures>();

  /** @param numbers Keys whose numbers are summed. */
  constructor(numbers: readonly string[]) {
    this.#numbers = numbers;
  }

  /** The figures of a value, to add to; null for values that are together. */
  of(name: string | null): ValueFigures {
    const canonical = name === null ? null : canonicalName(name);
    let figures = this.#found.get(canonical);
    if (figures === undefined) this.#found.set(canonical, (figures = new ValueFigures(this.#numbers)));
    return figures;
  }

  /** @param names Number of all values; undefined if each has its own figures. */
  rows(limit: number, names: number = this.#found.size): BreakdownRow[] {
    const named = [...this.#found].filter((entry): entry is [string, ValueFigures] => entry[0] !== null);
    const sorted = named.toSorted(
      ([one, first], [other, second]) => second.operations - first.operations || (one < other ? -1 : 1),
    );
    const rows: BreakdownRow[] = sorted
      .slice(0, limit)
      .map(([name, figures]) => ({ value: valueOf(name), ...figures.result() }));
    const rest = [this.#found.get(null), ...sorted.slice(limit).map(([, figures]) => figures)];
    const [others, ...more] = rest.filter((figures) => figures !== undefined);
    if (others === undefined) return rows;
    for (const figures of more) others.join(figures);
    return [...rows, { others: names - rows.length, ...others.result() }];
  }
}
