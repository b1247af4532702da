import { validateCollaborationState } from "../generated/validators.js";
import { type DocumentFault, schemaFault } from "../json/schema_faults.ts";
import { isPlainObject } from "../json/values.ts";
import { describe } from "../text/describe.ts";
import { isTimestamp, TIMESTAMP_TEXT } from "../text/timestamps.ts";

/**
 * The first fault for which a document is not a collaboration state (specification, section 2.8); undefined for a valid
 * one.
 */
export function stateFault(document: unknown): DocumentFault | undefined {
  const fault = schemaFault(validateCollaborationState, document);
  if (fault !== undefined) return fault;
  for (const field of ["last_interaction", "created_at"]) {
    const timestamp = (document as Record<string, unknown>)[field];
    if (typeof timestamp === "string" && !isTimestamp(timestamp)) {
      return { pointer: `/${field}`, reason: `expected ${TIMESTAMP_TEXT} of the calendar, got ${describe(timestamp)}` };
    }
  }
  return undefined;
}

/** Values of the required fields that are valid. */
const REQUIRED = { user_id: "user", trust_level: 0.5 };

/** The fields of an object because of which it is not a collaboration state; empty for a valid one. */
export function faultyStateFields(document: unknown): string[] {
  if (!isPlainObject(document)) return [];
  const rest: Record<string, unknown> = { ...REQUIRED, ...document };
  const found = Object.keys(REQUIRED).filter((field) => !Object.hasOwn(document, field));
  for (let fault = stateFault(rest); fault !== undefined; fault = stateFault(rest)) {
    const field = fault.pointer.split("/")[1] as string;
    found.push(field);
    if (Object.hasOwn(REQUIRED, field)) rest[field] = REQUIRED[field as keyof typeof REQUIRED];
    else delete rest[field];
  }
  return found;
}
