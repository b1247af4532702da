import { validatePattern } from "../generated/validators.js";
import { toDouble } from "../json/exact_numbers.ts";
import { type DocumentFault, schemaFault } from "../json/schema_faults.ts";
import { isPlainObject } from "../json/values.ts";
import { quote } from "../text/describe.ts";
import { beyondSchemaFault } from "./check_pattern.ts";
import { isOrdinaryPattern } from "./ordinary_pattern.ts";
import { completePattern, type Pattern, type PatternInput } from "./pattern.ts";

const NUMBER_FIELDS = ["confidence", "usage_count", "success_count", "failure_count"] as const;

/** The patterns of one array in a document, as long as they are patterns. */
export class ReceivedPatterns {
  schemaFault: DocumentFault | undefined;
  /** Fault that the schema cannot see; it counts only if the schema finds none in the whole document. */
  #laterFault: DocumentFault | undefined;
  #count = 0;
  /** All before the first fault. A map that grew with them would hold young objects in an old one, which is slow. */
  readonly #kept: Pattern[] = [];
  readonly #toKeep: (pattern: Pattern) => Pattern;
  /** Takes faults: the patterns concerned are left out, and the rest is kept. Without it the first fault ends the reading. */
  readonly #onFault: FaultTaker | undefined;
  /** The ids of what is kept, if faults are reported. */
  readonly #ids: Set<string>;

  /**
   * @param toKeep What to keep of a pattern, at least its id; all by default.
   * @param ids Takes the ids of what is kept, if faults are reported; another pattern with one of them is a fault.
   */
  constructor(
    toKeep: (pattern: Pattern) => Pattern = (pattern) => pattern,
    onFault?: FaultTaker,
    ids: Set<string> = new Set(),
  ) {
    this.#toKeep = toKeep;
    this.#onFault = onFault;
    this.#ids = ids;
  }

  add(value: unknown): void {
    if (this.schemaFault !== undefined) return;
    if (!isOrdinaryPattern(value)) this.#addOther(value);
    else if (this.#laterFault === undefined) this.#keep(value);
    this.#count += 1;
  }

  /** Adds what was read with null in the place of tokens that are not JSON. */
  addNonFinite(value: unknown, reason: string): void {
    this.#fail(value, { pointer: "", reason, nonFinite: true });
    this.#count += 1;
  }

  /**
   * Adds the patterns to a library.
   *
   * @returns The first fault that the schema cannot see.
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
    const fault = schemaFault(validatePattern, value);
    if (fault !== undefined) this.schemaFault = this.#fail(value, fault);
    if (fault !== undefined || this.#laterFault !== undefined) return;
    const later = beyondSchemaFault(value as PatternInput);
    if (later === undefined) this.#keep(completePattern(value as PatternInput));
    else this.#laterFault = this.#fail(value, later);
  }

  #keep(pattern: Pattern): void {
    if (this.#onFault !== undefined) {
      const known = this.#ids.size;
      if (this.#ids.add(pattern.id).size === known) {
        this.#fail(pattern, duplicateOf(pattern));
        return;
      }
    }
    this.#kept.push(this.#toKeep(pattern));
  }

  #fail(value: unknown, fault: DocumentFault): DocumentFault | undefined {
    if (this.#onFault === undefined) return placed(this.#count, fault);
    this.#onFault(this.#count, value, fault);
    return undefined;
  }
}

/** Called for each item that is not a pattern, with its index in the array and a pointer into it. */
export type FaultTaker = (index: number, value: unknown, fault: DocumentFault) => void;

const duplicateOf = ({ id }: Pattern): DocumentFault => ({
  pointer: "/id",
  reason: `duplicate id ${quote(id)}: an earlier pattern has it`,
});

/** Fields that the specification types as real or integer are doubles; only `context` keeps more. */
export function roundTypedNumbers(pattern: unknown): void {
  if (!isPlainObject(pattern)) return;
  for (const field of NUMBER_FIELDS) {
    if (typeof pattern[field] === "object") pattern[field] = toDouble(pattern[field]);
  }
}

function placed(index: number, { pointer, reason }: DocumentFault): DocumentFault {
  return { pointer: `/patterns/${index}${pointer}`, reason };
}
