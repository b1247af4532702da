import { parameter } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import { conditionNotMet, invalid } from "./refusal.ts";
import type { StoredObject } from "./store.ts";

export const CONDITIONS: string[] = [
  "ifGenerationMatch",
  "ifGenerationNotMatch",
  "ifMetagenerationMatch",
  "ifMetagenerationNotMatch",
];

/** Preconditions of a request on the existing object; `0` means that there is no object. */
export type Conditions = ReadonlyMap<string, string>;

export function conditionsOf(exchange: Exchange): Conditions {
  const conditions = new Map<string, string>();
  for (const name of CONDITIONS) {
    const value = parameter(exchange, name);
    if (value === undefined) continue;
    if (!/^\d{1,19}$/.test(value)) throw invalid(`Invalid value for ${name}: ${value}`);
    conditions.set(name, value);
  }
  return conditions;
}

/**
 * Refuses a request whose condition does not hold. Reads of an unchanged object are answered with 304 by {@link
 * notModified}.
 */
export function assertConditions(conditions: Conditions, found: StoredObject | undefined): void {
  for (const [name, wanted] of conditions) if (!holds(name, wanted, found)) throw conditionNotMet(name);
}

/** True if the reader already has the object: only conditions that ask for another one fail. */
export function notModified(conditions: Conditions, found: StoredObject): boolean {
  const failed = [...conditions].filter(([name, wanted]) => !holds(name, wanted, found));
  return failed.length > 0 && failed.every(([name]) => name.endsWith("NotMatch"));
}

function holds(name: string, wanted: string, found: StoredObject | undefined): boolean {
  const there = name.startsWith("ifGeneration") ? (found?.generation ?? "0") : (found?.metageneration ?? "0");
  if (!name.endsWith("NotMatch")) return there === wanted;
  // Without an object, the condition "not generation N" fails, too.
  return found !== undefined && there !== wanted;
}
