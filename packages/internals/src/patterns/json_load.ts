import { readFileSync } from "node:fs";
import { FileNotFoundError, ValidationError } from "../errors/errors.ts";
import { storageErrorOf } from "../errors/storage_errors.ts";
import { assertPath } from "../files/places.ts";
import { validatePatternLibrary } from "../generated/validators.js";
import { decodeJson } from "../json/decode.ts";
import { toDouble } from "../json/exact_numbers.ts";
import { schemaFault } from "../json/schema_faults.ts";
import { isPlainObject, pointerTo } from "../json/values.ts";
import { quote } from "../text/describe.ts";
import { contributionFault } from "./assert_savable.ts";
import { beyondSchemaFault } from "./check_pattern.ts";
import { fillContributions } from "./contributions.ts";
import { assertReadableVersion } from "./format_version.ts";
import { PatternLibrary } from "./library.ts";
import { completePattern, type PatternInput } from "./pattern.ts";

/** The document of specification section 2.4 once the schema has accepted it. */
interface LibraryDocument {
  patterns: PatternInput[];
  agent_contributions?: Record<string, string[]> | null;
  metadata?: object | null;
}

const NUMBER_FIELDS = ["confidence", "usage_count", "success_count", "failure_count"] as const;

/**
 * Reads a pattern library file (specification, sections 2.4 and 4.1).
 *
 * @throws FileNotFoundError when there is no such file.
 * @throws JSONDecodeError with line and column when it is not JSON.
 * @throws ValidationError with a JSON Pointer when it is no pattern library.
 * @throws UnsupportedFormatError when `metadata.version` is not `1.x`.
 */
export function loadLibraryFromJson(filepath: string): PatternLibrary {
  const document = decodeJson(readExisting(filepath), filepath);
  if (isPlainObject(document)) {
    if (isPlainObject(document["metadata"])) assertReadableVersion(document["metadata"]["version"], filepath);
    roundTypedNumbers(document["patterns"]);
  }
  const fault = schemaFault(validatePatternLibrary, document);
  if (fault !== undefined) refuse(filepath, fault.pointer, fault.reason);
  return buildLibrary(document as LibraryDocument, filepath);
}

/** Reads a whole file; a missing one is a {@link FileNotFoundError}. */
function readExisting(filepath: string): Buffer {
  assertPath("filepath", filepath);
  try {
    return readFileSync(filepath);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw storageErrorOf(cause, filepath, "loading");
    throw new FileNotFoundError(`${filepath}: no such file.`, { path: filepath, cause });
  }
}

/** Fields that the specification types as real or integer are doubles; only `context` keeps more. */
function roundTypedNumbers(patterns: unknown): void {
  if (!Array.isArray(patterns)) return;
  for (const pattern of patterns as unknown[]) {
    if (!isPlainObject(pattern)) continue;
    for (const field of NUMBER_FIELDS) {
      if (typeof pattern[field] === "object") pattern[field] = toDouble(pattern[field]);
    }
  }
}

function buildLibrary(document: LibraryDocument, filepath: string): PatternLibrary {
  const library = new PatternLibrary();
  for (const [index, input] of document.patterns.entries()) {
    const fault = beyondSchemaFault(input);
    if (fault !== undefined) refuse(filepath, `/patterns/${index}${fault.pointer}`, fault.reason);
    if (library.patterns.has(input.id)) {
      refuse(filepath, `/patterns/${index}/id`, `the id ${quote(input.id)} stands for an earlier pattern already`);
    }
    library.patterns.set(input.id, completePattern(input));
  }
  for (const [agentId, patternIds] of Object.entries(document.agent_contributions ?? {})) {
    const fault = contributionFault(agentId, patternIds);
    if (fault !== undefined) refuse(filepath, pointerTo("/agent_contributions", agentId), fault);
  }
  fillContributions(library, document.agent_contributions ?? undefined);
  return library;
}

function refuse(filepath: string, pointer: string, reason: string): never {
  const place = pointer === "" ? "the top of the document" : pointer;
  throw new ValidationError(`${filepath}: not a pattern library: ${place}: ${reason}. The file was left as it is.`, {
    path: filepath,
    pointer,
  });
}
