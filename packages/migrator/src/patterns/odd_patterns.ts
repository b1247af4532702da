import type { OddRows } from "../core/report.ts";
import type { PatternKind } from "./kinds.ts";

/** How many values and ids the report shows of each kind. */
const EXAMPLES = 5;

interface Counted {
  kind: PatternKind;
  rows: number;
  blocks: boolean;
  values: Map<string, number>;
  ids: string[];
}

/** Counts odd patterns by kind, for the report. */
export class OddPatterns {
  readonly #kinds = new Map<string, Counted>();

  /**
   * @param kinds What was found in one pattern.
   * @param literal Shows the value of a field; undefined where that would tell nothing.
   * @param readable Whether the decisions make the pattern readable.
   */
  add(
    kinds: readonly PatternKind[],
    id: string,
    literal: (field: string) => string | undefined,
    readable: boolean,
  ): void {
    const seen = new Set<string>();
    for (const kind of kinds) {
      const counted = this.#countedOf(kind);
      if (!seen.has(kind.kind)) {
        counted.rows += 1;
        counted.blocks ||= !readable;
        if (counted.ids.length < EXAMPLES) counted.ids.push(id);
      }
      seen.add(kind.kind);
      const shown = literal(kind.field);
      if (shown === undefined) continue;
      if (counted.values.size < EXAMPLES || counted.values.has(shown))
        counted.values.set(shown, (counted.values.get(shown) ?? 0) + 1);
    }
  }

  #countedOf(kind: PatternKind): Counted {
    let counted = this.#kinds.get(kind.kind);
    if (counted === undefined)
      this.#kinds.set(kind.kind, (counted = { kind, rows: 0, blocks: false, values: new Map(), ids: [] }));
    return counted;
  }

  reports(): OddRows[] {
    return [...this.#kinds.values()].map(({ kind, rows, blocks, values, ids }) => ({
      kind: kind.kind,
      description: kind.description,
      rows,
      blocks,
      decision: kind.decision,
      values: [...values].map(([literal, held]) => ({ literal, rows: held })),
      row_ids: ids,
    }));
  }
}
