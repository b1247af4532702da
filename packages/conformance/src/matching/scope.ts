import { join } from "node:path";
import { isObject } from "../values/json_value.ts";
import type { JsonValue } from "../values/json_value.ts";
import { CaseFault, fillIn } from "./fill_in.ts";

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

/**
 * Puts `$data`, `$repeat`, `$path` and `$var` in place. Matchers and tagged numbers stay as they are.
 * @throws {CaseFault} when a name is unknown.
 */
export function resolve(value: JsonValue, scope: Scope): JsonValue {
  return place(fillIn(value, scope.data), scope);
}

function place(value: JsonValue, scope: Scope): JsonValue {
  if (Array.isArray(value)) return value.map((item) => place(item, scope));
  if (!isObject(value)) return value;
  if (typeof value.$path === "string") return join(scope.directory, value.$path);
  if (typeof value.$var === "string") {
    const found = scope.variables.get(value.$var);
    if (found === undefined) throw new CaseFault(`no call has bound the variable "${value.$var}"`);
    return found;
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, place(member, scope)]));
}
