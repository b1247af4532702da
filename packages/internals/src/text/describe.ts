import { printable } from "../terminal/printable.ts";

/** Maximum length of a value in an error message, in characters. */
const LIMIT = 60;

/**
 * Shows a value in an error message: short, on one line, without control characters that a terminal would interpret.
 */
export function describe(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "bigint") return `${value}n`;
  if (Object.is(value, -0)) return "-0";
  if (value === null || value === undefined || typeof value === "number" || typeof value === "boolean") {
    return String(value);
  }
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol") return "a symbol";
  const name = classNameOf(value as object);
  return name === "" || name === "Object" ? "an object" : `an object of class ${printable(cutAt(name, LIMIT))}`;
}

/** The class name of a value. Data may also have a member called `constructor`. */
function classNameOf({ constructor: made }: { constructor?: unknown }): string {
  const name: unknown = typeof made === "function" ? made.name : "";
  return typeof name === "string" ? name : "";
}

/** Quotes text for a message, cut at 60 characters; control characters become escapes. */
export function quote(text: string): string {
  return printable(JSON.stringify(cutAt(text, LIMIT)));
}

/** Shortens a JSON Pointer for a message, because its keys are foreign data of any length. */
export function shownPointer(pointer: string): string {
  return cutAt(pointer, 4 * LIMIT);
}

function cutAt(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}
