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
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fromWire(member)]));
  return value;
}

/** Converts a value of perdura for the protocol. Members without a value are left out, as in JSON. */
export function toWire(value: unknown): JsonValue {
  if (raw.isRawJSON(value)) return numberFromText(value.rawJSON);
  if (value === undefined || value === null) return null;
  if (typeof value === "number") return Number.isFinite(value) ? value : { $number: String(value) };
  if (typeof value === "bigint") return numberFromText(String(value));
  if (Array.isArray(value)) return value.map(toWire);
  if (typeof value !== "object") return value as JsonValue;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, toWire(member)]));
}
