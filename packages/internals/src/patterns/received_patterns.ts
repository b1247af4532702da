import { toDouble } from "../json/exact_numbers.ts";
import type { DocumentFault } from "../json/schema_faults.ts";
import { isPlainObject } from "../json/values.ts";
import { quote } from "../text/describe.ts";
import { patternProblems, tokenProblems } from "../validity/pattern_problems.ts";
import { faultOf } from "./check_pattern.ts";
import { isOrdinaryPattern } from "./ordinary_pattern.ts";
import { completePattern, type Pattern, type PatternInput } from "./pattern.ts";

const NUMBER_FIELDS = ["confidence", "usage_count", "success_count", "failure_count"] as const;

/** Receives the items of one array of a document and collects the valid patterns. */
export class ReceivedPatterns {
  schemaFault: DocumentFault | undefined;
  /** Fault that the schema cannot find. It is only reported if the schema finds no fault in the whole document. */
  #laterFault: DocumentFault | undefined;
  #items = 0;
  /**
   * Valid patterns before the first fault. An array, because a growing map would be an old object with references to
   * young ones, which slows the garbage collector down.
   */
  readonly #kept: Pattern[] = [];
  /** Ids of the valid patterns. A fault that is reported, and patterns that are not kept, need them at once. */
  readonly #ids: Ids | undefined;
  readonly #isKept: boolean;
  /** Receives faults; invalid patterns are left out. Without it, the first fault ends the reading. */
  readonly #onFault: FaultTaker | undefined;

  /** A second pattern with the same id is a fault. */
  constructor({ onFault, newIds }: Receiving = {}) {
    this.#onFault = onFault;
    this.#isKept = newIds === undefined;
    this.#ids = newIds?.() ?? (onFault && new Set());
  }

  /** Number of valid patterns. */
  get count(): number {
    return this.#ids?.size ?? this.#kept.length;
  }

  add(value: unknown): void {
    if (this.schemaFault !== undefined) return;
    if (!isOrdinaryPattern(value)) this.#addOther(value);
    else if (this.#laterFault === undefined) this.#keep(value);
    this.#items += 1;
  }

  /** Reports an item that was read with numbers in the place of tokens that are not JSON. */
  addNonFinite(value: unknown, reason: string): void {
    const [first] = tokenProblems(value);
    // A token in a repeated key is not in the value.
    this.#fail(value, first?.code === "non_finite" ? faultOf(first) : { pointer: "", reason });
    this.#items += 1;
  }

  /**
   * Adds the patterns to a library.
   *
   * @returns The first fault that the schema cannot find.
   */
  putInto(patterns: Map<string, Pattern>): DocumentFault | undefined {
    for (const [index, pattern] of this.#kept.entries()) {
      patterns.set(pattern.id, pattern);
      if (patterns.size > index) continue;
      return placed(index, duplicateOf(pattern));
    }
    return this.#laterFault;
  }

  #addOther(value: unknown): void {
    roundTypedNumbers(value);
    const [problem] = patternProblems(value);
    if (problem?.beyondSchema === false) this.schemaFault = this.#fail(value, faultOf(problem));
    if (problem?.beyondSchema === false || this.#laterFault !== undefined) return;
    if (problem === undefined) this.#keep(completePattern(value as PatternInput));
    else this.#laterFault = this.#fail(value, faultOf(problem));
  }

  #keep(pattern: Pattern): void {
    const known = this.#ids?.size;
    this.#ids?.add(pattern.id);
    if (known !== undefined && known === this.#ids?.size) this.#laterFault = this.#fail(pattern, duplicateOf(pattern));
    else if (this.#isKept) this.#kept.push(pattern);
  }

  #fail(value: unknown, fault: DocumentFault): DocumentFault | undefined {
    if (this.#onFault === undefined) return placed(this.#items, fault);
    this.#onFault(this.#items, value, fault);
    return undefined;
  }
}

/** Options for {@link ReceivedPatterns}. */
export interface Receiving {
  /** Called for each item that is not a valid pattern. Without it, such an item is a fault of the document. */
  onFault?: FaultTaker | undefined;
  /** Makes an empty collection of ids. If it is given, patterns are only checked, and of each its id is kept there. */
  newIds?: () => Ids;
}

/** A collection that has each id once, such as a `Set`, or a `TextTable`, which needs less memory. */
interface Ids {
  readonly size: number;
  add(id: string): unknown;
}

/** Called for each invalid item, with its index in the array. The pointer of the fault starts at the item. */
export type FaultTaker = (index: number, value: unknown, fault: DocumentFault) => void;

const duplicateOf = ({ id }: Pattern): DocumentFault => ({
  pointer: "/id",
  reason: `duplicate id ${quote(id)}: an earlier pattern has it`,
});

/**
 * Converts the fields that the specification types as real or integer to doubles. Only `context` keeps exact numbers.
 */
export function roundTypedNumbers(pattern: unknown): void {
  if (!isPlainObject(pattern)) return;
  for (const field of NUMBER_FIELDS) {
    if (typeof pattern[field] === "object") pattern[field] = toDouble(pattern[field]);
  }
}

function placed(index: number, { pointer, reason }: DocumentFault): DocumentFault {
  return { pointer: `/patterns/${index}${pointer}`, reason };
}
