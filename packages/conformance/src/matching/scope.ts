import { join } from "node:path";
import { isObject } from "../values/json_value.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";

/** Values of the names in a case while it runs. */
export interface Scope {
  /** Values for `$data`; those of the case precede the shared ones. */
  data: Record<string, JsonValue>;
  /** Values that earlier calls returned, for `$var`. */
  variables: Map<string, JsonValue>;
  /** The case's directory, for `$path`. */
  directory: string;
  /** Start of the case, milliseconds since 1970, for `$timestamp` with `recent`. */
  began: number;
}

/**
 * Fills in `$data`, `$repeat`, `$path` and `$var`. Matchers and tagged numbers stay unchanged.
 * @throws {CaseFault} when a name is unknown.
 */
export function resolve(value: JsonValue, scope: Scope): JsonValue {
  return place(fillIn(value, scope.data), scope);
}

function place(value: JsonValue, scope: Scope): JsonValue {
  if (typeof value !== "object" || value === null || placeless.has(value)) return value;
  if (Array.isArray(value)) return withMembers(value, (item) => place(item, scope));
  if (typeof value.$path === "string") return join(scope.directory, value.$path);
  if (typeof value.$var === "string") {
    const found = scope.variables.get(value.$var);
    if (found === undefined) throw new CaseFault(`no call has bound the variable "${value.$var}"`);
    return found;
  }
  return withMembers(value, (member) => place(member, scope));
}

/**
 * An array or object with every member changed. It is the value itself if no member changes, because most parts of a
 * case name nothing; so the result must not be modified.
 */
function withMembers(value: JsonValue[] | JsonObject, change: (member: JsonValue) => JsonValue): JsonValue {
  let copy: JsonValue | undefined;
  for (const key of Object.keys(value)) {
    const member = (value as JsonObject)[key] as JsonValue;
    const changed = change(member);
    if (changed === member) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...value };
    // An assignment to `__proto__` would replace the prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: changed });
    else (copy as JsonObject)[key] = changed;
  }
  return copy ?? value;
}

/** A case with an unknown name: a fault of the suite, not of the implementation. */
export class CaseFault extends Error {}

/**
 * Fills in values that a case names or describes; all others stay unchanged.
 * - `{"$data": "pattern", "with": {"id": "p2"}}` is the named object with some members replaced.
 * - `{"$repeat": {"text": "ab", "times": 3}}` is a long text, `{"$repeat": {"item": …, "times": 3}}` an array in which
 * `{n}` inside a text is the number of the copy, from 1.
 * @throws {CaseFault} when a name is unknown.
 */
export function fillIn(value: JsonValue, data: Record<string, JsonValue>): JsonValue {
  if (Array.isArray(value)) return withMembers(value, (item) => fillIn(item, data));
  if (!isObject(value)) return value;
  if (typeof value.$data === "string") return namedData(value, data);
  if (isObject(value.$repeat)) return repeated(value.$repeat, data);
  return withMembers(value, (member) => fillIn(member, data));
}

function namedData(reference: JsonObject, data: Record<string, JsonValue>): JsonValue {
  const name = reference.$data as string;
  const named = Object.hasOwn(data, name) ? data[name] : undefined;
  if (named === undefined) throw new CaseFault(`there is no data named "${name}"`);
  const value = fillIn(named, data);
  if (reference.with === undefined) return value;
  if (!isObject(value)) throw new CaseFault(`"with" requires an object, but the data "${name}" is not one`);
  return { ...value, ...(fillIn(reference.with, data) as JsonObject) };
}

function repeated(recipe: JsonObject, data: Record<string, JsonValue>): JsonValue {
  const times = recipe.times as number;
  if (typeof recipe.text === "string") return recipe.text.repeat(times);
  const item = fillIn(recipe.item as JsonValue, data);
  const copies = Array.from({ length: times }, (_, index) => numbered(item, String(index + 1)));
  if (!namesPlace(item)) placeless.add(copies);
  return copies;
}

/** Long arrays without `$path` and `$var`. */
const placeless: WeakSet<object> = new WeakSet();

function namesPlace(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, member]) => key === "$path" || key === "$var" || namesPlace(member));
}

/** Replaces `{n}` inside the texts of a value with a number. */
export function numbered(value: JsonValue, number: string): JsonValue {
  if (typeof value === "string") return value.includes("{n}") ? value.replaceAll("{n}", number) : value;
  return typeof value === "object" && value !== null ? withMembers(value, (member) => numbered(member, number)) : value;
}
