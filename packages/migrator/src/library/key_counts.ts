import { TextTable } from "@perdura/internals/text/text_table.js";
import { NumberList } from "@perdura/internals/runtime/number_list.js";

/** Counts how often each id occurs. An id can be anything; nearly all are text. */
export class KeyCounts {
  readonly #texts = new TextTable();
  readonly #counts = new NumberList();
  readonly #others = new Map<unknown, number>();

  /** Returns how often the id was counted before. */
  add(id: unknown): number {
    const before = this.of(id);
    if (typeof id !== "string") this.#others.set(id, before + 1);
    else if (this.#texts.add(id)) this.#counts.push(1);
    else this.#counts.set(this.#texts.indexOf(id), before + 1);
    return before;
  }

  of(id: unknown): number {
    if (typeof id !== "string") return this.#others.get(id) ?? 0;
    return this.#counts.at(this.#texts.indexOf(id)) ?? 0;
  }
}
