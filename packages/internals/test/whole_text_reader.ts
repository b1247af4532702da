import { ValidationError } from "@perdura/internals/errors/errors.js";
import { validatePatternLibrary } from "../src/generated/validators.js";
import { decodeJson } from "@perdura/internals/json/decode.js";
import { toDouble } from "@perdura/internals/json/exact_numbers.js";
import { schemaFault } from "@perdura/internals/json/schema_faults.js";
import { isPlainObject, isRawNumber, pointerTo } from "@perdura/internals/json/values.js";
import { contributionFault } from "@perdura/internals/patterns/assert_savable.js";
import { fillContributions } from "@perdura/internals/patterns/contributions.js";
import { assertReadableVersion } from "@perdura/internals/patterns/format_version.js";
import { PatternLibrary } from "@perdura/internals/patterns/library.js";
import { completePattern, type PatternInput } from "@perdura/internals/patterns/pattern.js";
import { describe, quote, shownPointer } from "@perdura/internals/text/describe.js";
import { isTimestamp, TIMESTAMP_TEXT } from "@perdura/internals/text/timestamps.js";

interface LibraryDocument {
  patterns: PatternInput[];
  agent_contributions?: Record<string, string[]> | null;
}

/** The simple way to read a library file: the whole text, then the whole document, then each pattern. */
export function readWholeText(bytes: Uint8Array, path: string): PatternLibrary {
  const document = decodeJson(bytes, path);
  if (isPlainObject(document)) {
    if (isPlainObject(document["metadata"])) assertReadableVersion(document["metadata"]["version"], path);
    roundTypedNumbers(document["patterns"]);
  }
  const fault = schemaFault(validatePatternLibrary, document);
  if (fault !== undefined) refuse(path, fault.pointer, fault.reason);
  return build(document as LibraryDocument, path);
}

function roundTypedNumbers(patterns: unknown): void {
  if (!Array.isArray(patterns)) return;
  for (const pattern of patterns as unknown[]) {
    if (!isPlainObject(pattern)) continue;
    for (const field of ["confidence", "usage_count", "success_count", "failure_count"]) {
      if (typeof pattern[field] === "object") pattern[field] = toDouble(pattern[field]);
    }
  }
}

function build(document: LibraryDocument, path: string): PatternLibrary {
  const library = new PatternLibrary();
  for (const [index, input] of document.patterns.entries()) {
    const fault = beyondSchemaFault(input);
    if (fault !== undefined) refuse(path, `/patterns/${index}${fault.pointer}`, fault.reason);
    if (library.patterns.has(input.id)) {
      refuse(path, `/patterns/${index}/id`, `duplicate id ${quote(input.id)}: an earlier pattern has it`);
    }
    library.patterns.set(input.id, completePattern(input));
  }
  for (const [agentId, patternIds] of Object.entries(document.agent_contributions ?? {})) {
    const fault = contributionFault(agentId, patternIds);
    if (fault !== undefined) refuse(path, pointerTo("/agent_contributions", agentId), fault);
  }
  fillContributions(library, document.agent_contributions ?? undefined);
  return library;
}

/** The faults that a schema cannot express. */
function beyondSchemaFault(pattern: PatternInput): { pointer: string; reason: string } | undefined {
  // An exact number is an object in JavaScript.
  if (isRawNumber(pattern.context))
    return { pointer: "/context", reason: `expected object or null, got ${describe(pattern.context)}` };
  for (const field of ["discovered_at", "last_used"] as const) {
    const timestamp = pattern[field];
    if (typeof timestamp === "string" && !isTimestamp(timestamp))
      return { pointer: `/${field}`, reason: `expected ${TIMESTAMP_TEXT} of the calendar, got ${describe(timestamp)}` };
  }
  return undefined;
}

function refuse(path: string, pointer: string, reason: string): never {
  const place = pointer === "" ? "the top of the document" : shownPointer(pointer);
  throw new ValidationError(`not a pattern library: ${place}: ${reason}.`, {
    path,
    pointer,
  });
}
