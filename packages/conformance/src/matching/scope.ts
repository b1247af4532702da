import { join } from "node:path";
import { isObject } from "../values/json_value.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";

/** What the names inside a case mean while it runs. */
export interface Scope {
  /** Values that `$data` names: the case's own before the shared ones. */
  data: Record<string, JsonValue>;
  /** Values that earlier calls gave back, for `$var`. */
  variables: Map<string, JsonValue>;
  /** The case's directory, for `$path`. */
  directory: string;
  /** When the case began, milliseconds since 1970, for `$timestamp` with `recent`. */
  began: number;
}

/** A case that names what does not exist: our fault, not the implementation's. */
export class CaseFault extends Error {}

/**
 * Puts `$data`, `$path` and `$var` in place. Other matchers and tagged numbers stay as they are.
 * `{"$data": "pattern", "with": {"id": "p2"}}` is the named object with some members replaced.
 * @throws {CaseFault} when a name is unknown.
 */
export function resolve(value: JsonValue, scope: Scope): JsonValue {
  if (Array.isArray(value)) return value.map((item) => resolve(item, scope));
  if (!isObject(value)) return value;
  if (typeof value.$data === "string") return resolveData(value, scope);
  if (typeof value.$path === "string") return join(scope.directory, value.$path);
  if (typeof value.$var === "string") {
    const found = scope.variables.get(value.$var);
    if (found === undefined) throw new CaseFault(`no call has bound the variable "${value.$var}"`);
    return found;
  }
  // Object.fromEntries defines members, so that a key such as __proto__ stays a key.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolve(member, scope)]));
}

function resolveData(reference: JsonObject, scope: Scope): JsonValue {
  const name = reference.$data as string;
  const named = Object.hasOwn(scope.data, name) ? scope.data[name] : undefined;
  if (named === undefined) throw new CaseFault(`there is no data named "${name}"`);
  const value = resolve(named, scope);
  if (reference.with === undefined) return value;
  if (!isObject(value)) throw new CaseFault(`"with" needs an object, and the data "${name}" is none`);
  return { ...value, ...(resolve(reference.with, scope) as JsonObject) };
}
