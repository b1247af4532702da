import { isUtf8 } from "node:buffer";
import { TextTable } from "../text/text_table.ts";
import type { KeptProblem } from "./decide_patterns.ts";
import type { PatternCode } from "./pattern_kinds.ts";

/** Ids that patterns have before decisions are applied. */
interface KnownIds {
  /** Ids of patterns without a problem. */
  sound: TextTable;
  /** Ids of patterns with problems. */
  invalid: TextTable;
  reserved: ReservedIds;
}

/** Ids that other data refer to. */
export interface ReservedIds {
  all: TextTable;
  /** Those by which the data do not mean a number with this text. */
  exact: TextTable;
}

/** The identifiers of patterns that are given while decisions are applied. */
export class NewNames {
  readonly #known: KnownIds;
  /** For each id of an invalid pattern whether a pattern has it now, and other ids that were given. */
  readonly #taken: Uint8Array;
  readonly #others = new TextTable();
  /** The next number for each beginning, so that many duplicates take no quadratic time. */
  readonly #next = new Map<string, number>();

  constructor(known: KnownIds) {
    this.#known = known;
    this.#taken = new Uint8Array(known.invalid.size);
  }

  isTaken(id: string): boolean {
    return this.#known.sound.has(id) || this.#taken[this.#known.invalid.indexOf(id)] === 1 || this.#others.has(id);
  }

  take(id: string): void {
    const index = this.#known.invalid.indexOf(id);
    if (index === -1) this.#others.add(id);
    else this.#taken[index] = 1;
  }

  newId({ code, value }: KeptProblem): string {
    if (code === "missing" || code === "empty") return this.#numbered("pattern", 1);
    const text = withEncodedCharacters(textOfId(value));
    if (text === "") return this.#numbered("pattern", 1);
    if (code === "duplicate") return this.#numbered(text, 2);
    const candidates = value instanceof Uint8Array ? [text, hexOf(value)] : [text];
    return candidates.find((one) => this.#isFree(one, code)) ?? this.#numbered(candidates.at(-1) as string, 2);
  }

  #isFree(text: string, code: PatternCode): boolean {
    const { all, exact } = this.#known.reserved;
    const isReserved = (code === "number_as_id" ? exact : all).has(text);
    return !isReserved && !this.isTaken(text) && !this.#known.invalid.has(text);
  }

  #numbered(base: string, first: number): string {
    for (let number = this.#next.get(base) ?? first; ; number += 1) {
      const id = `${base}-${number}`;
      if (this.isTaken(id) || this.#known.invalid.has(id) || this.#known.reserved.all.has(id)) continue;
      this.#next.set(base, number + 1);
      return id;
    }
  }
}

/** Writes the characters that an identifier cannot have as `%` and their code. */
export function withEncodedCharacters(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, (one) =>
    one === "\0" ? "%00" : `%u${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The text of a number, or of bytes: in UTF-8 if they are text that a person can read, otherwise in hexadecimal. */
export function textOfId(value: KeptProblem["value"]): string {
  if (!(value instanceof Uint8Array)) return String(value);
  const text = isUtf8(value) ? Buffer.from(value).toString() : "\0";
  return /\p{Cc}/u.test(text) ? hexOf(value) : text;
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
