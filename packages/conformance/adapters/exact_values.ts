import { isObject, isTaggedNumber, tokenOf, type JsonValue } from "../src/values/json_value.ts";
import { numberFromText } from "../src/values/numbers.ts";

/** `JSON.rawJSON` and `JSON.isRawJSON`, which TypeScript's library does not declare yet. */
const raw = JSON as unknown as {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): value is { rawJSON: string };
};

/** Converts a value of the protocol for perdura: numbers beyond a double become raw JSON numbers. */
export function fromWire(value: JsonValue): unknown {
  if (isTaggedNumber(value)) {
    const text = tokenOf(value);
    return ["NaN", "Infinity", "-Infinity"].includes(text)
      ? Number(text)
      : typeof numberFromText(text) === "number"
        ? Number(text)
        : raw.rawJSON(text);
  }
  if (Array.isArray(value)) return value.map(fromWire);
  return isObject(value) ? withMembers(value, fromWire) : value;
}

/** Converts a value of perdura for the protocol. Members without a value are left out, as in JSON. */
export function toWire(value: unknown): JsonValue {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return null;
  if (typeof value === "number") return Number.isFinite(value) ? value : { $number: String(value) };
  if (typeof value === "bigint") return numberFromText(String(value));
  if (Array.isArray(value)) return value.map(toWire);
  if (typeof value !== "object") return value as JsonValue;
  if (raw.isRawJSON(value)) return numberFromText(value.rawJSON);
  return withMembers(value as Record<string, unknown>, toWire);
}

/** An object with every member changed, except for those without a value. */
function withMembers<From, To>(
  value: Readonly<Record<string, From>>,
  change: (member: From) => To,
): Record<string, To> {
  const changed: Record<string, To> = {};
  for (const key of Object.keys(value)) {
    const member = value[key] as From;
    if (member === undefined) continue;
    // An assignment to `__proto__` would replace the prototype.
    if (key === "__proto__")
      Object.defineProperty(changed, key, {
        value: change(member),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    else changed[key] = change(member);
  }
  return changed;
}
