import type { CaseRecord, Failure } from "./record.ts";

/** What the reports say of a case that wrote where it must not. */
export const BREACH = "wrote outside its directory";

/** True for the failure that the runner adds when files appeared outside the case's directory. */
export function isBreach({ check }: Failure): boolean {
  return check === "sandbox";
}

/** True for a case that wrote outside its directory: that counts at every level. */
export function hasBreach({ failures }: CaseRecord): boolean {
  return failures.some(isBreach);
}
