import type { Requirement } from "../corpus/requirement.ts";

/** True when an implementation said in `hello` that it answers an open question by our ruling. */
export function isDeclared({ id, ruling }: Requirement, choices: Record<string, string>): boolean {
  return choices[id] === "ruled" || (ruling !== undefined && choices[id] === ruling);
}
