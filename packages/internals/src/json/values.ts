import { UnsupportedRuntimeError, ValidationError } from "../errors/errors.ts";
import { assertSupportedNode } from "../runtime/node_version.ts";
import { describe, shownPointer } from "../text/describe.ts";

/**
 * A number that a double cannot represent, kept as its source text. It is a result of `JSON.rawJSON`: `JSON.stringify`
 * writes it unchanged, `JSON.isRawJSON` recognises it, and `rawJSON` is the text (ruling U-numbers).
 */
export interface RawJsonNumber {
  /** The number as JSON text. */
  readonly rawJSON: string;
}

/** Any JSON value. A `bigint` is accepted as input and written as an integer. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | RawJsonNumber
  | JsonValue[]
  | { [key: string]: JsonValue };

/** A JSON object. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/**
 * An object that JSON can represent, as an argument: also the value of an interface or a `Record<string, unknown>`, which
 * TypeScript does not take for a {@link JsonObject}. What JSON cannot represent is refused when it is passed.
 */
export type JsonObjectInput = object;

/** Maximum nesting of values. Some readers would overflow their stack with deeper values. */
export const MAX_DEPTH = 1000;

/** `JSON.rawJSON` and `JSON.isRawJSON`, which TypeScript's library does not declare yet. */
interface RawJson {
  rawJSON(text: string): RawJsonNumber;
  isRawJSON(value: unknown): value is RawJsonNumber;
}
const raw = JSON as unknown as Partial<RawJson>;

export function rawNumber(text: string): RawJsonNumber {
  return (raw.rawJSON ?? missing)(text);
}

export function isRawNumber(value: unknown): value is RawJsonNumber {
  return (raw.isRawJSON ?? missing)(value);
}

/** Called on a Node.js below the minimum, which has neither; the error names the missing feature. */
function missing(): never {
  assertSupportedNode();
  throw new UnsupportedRuntimeError("This JavaScript engine has no JSON.rawJSON, which keeps numbers exact.");
}

/** True for objects made by `{}`, `Object.create(null)` or `JSON.parse`, in any realm. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value) || isRawNumber(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** True for a value that {@link inspectJson} rejects because of its nesting. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depth >= MAX_DEPTH) return !isRawNumber(value);
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object" && isTooDeep(item, depth + 1)) return true;
    return false;
  }
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    // Most members need no call.
    if (typeof member === "object" && isTooDeep(member, depth + 1)) return true;
  }
  return false;
}

/** Adds one step to a JSON Pointer (RFC 6901). */
export function pointerTo(base: string, key: string | number): string {
  return `${base}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Parts of a value that native `JSON.stringify` would write incorrectly without an error. */
export interface Inspection {
  /** True if the value contains `-0` or a `bigint`, which need the exact writer. */
  needsExactWriter: boolean;
}

/**
 * Rejects values that JSON cannot represent: NaN, infinities, functions, dates, class instances, cycles, too deep
 * nesting. `JSON.stringify` would silently turn them into `null`, drop them, or change their type.
 *
 * @param what Names the value in the message, for example `context of pattern "p1"`.
 * @param argument The argument that holds the value.
 * @throws ValidationError with the JSON Pointer of the first of them.
 */
export function inspectJson(value: unknown, what: string, argument: string = what): Inspection {
  const walk = new Walk(what, argument);
  walk.visit(value);
  return walk;
}

/** One walk through a value. The path to the current place is kept as keys; a pointer is only built for an error. */
class Walk implements Inspection {
  needsExactWriter = false;
  readonly #what: string;
  readonly #argument: string;
  readonly #way: (string | number)[] = [];

  constructor(what: string, argument: string) {
    this.#what = what;
    this.#argument = argument;
  }

  visit(value: unknown): void {
    switch (typeof value) {
      case "string":
      case "boolean":
        return;
      case "number":
        if (!Number.isFinite(value)) this.#refuse(value, "a finite number");
        if (Object.is(value, -0)) this.needsExactWriter = true;
        return;
      case "bigint":
        this.needsExactWriter = true;
        return;
      case "object":
        if (value !== null && !isRawNumber(value)) this.#visitContainer(value);
        return;
      default:
        this.#refuse(value, "a JSON value");
    }
  }

  #visitContainer(value: object): void {
    if (this.#way.length >= MAX_DEPTH) this.#refuse(value, `at most ${MAX_DEPTH} levels of nesting`);
    if (typeof (value as { toJSON?: unknown }).toJSON === "function") this.#refuse(value, "a value without toJSON");
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index += 1) this.#step(index, value[index]);
      return;
    }
    if (!isPlainObject(value)) this.#refuse(value, "a plain object");
    for (const key of Object.keys(value)) {
      const member = (value as Record<string, unknown>)[key];
      // JavaScript and JSON treat an absent property and one that is undefined alike.
      if (member !== undefined) this.#step(key, member);
    }
  }

  #step(key: string | number, member: unknown): void {
    this.#way.push(key);
    this.visit(member);
    this.#way.pop();
  }

  #refuse(value: unknown, expected: string): never {
    const pointer = this.#way.slice(0, 20).reduce<string>(pointerTo, "");
    throw new ValidationError(
      `expected ${expected} at ${pointer === "" ? "the top" : shownPointer(pointer)}, got ${describe(value)}. Nothing was written.`,
      { subject: this.#what, argument: this.#argument, pointer },
    );
  }
}
