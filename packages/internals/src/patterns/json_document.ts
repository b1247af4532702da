import { ValidationError } from "../errors/errors.ts";
import { validatePattern, validatePatternLibrary } from "../generated/validators.js";
import { toDouble } from "../json/exact_numbers.ts";
import type { DocumentReceiver } from "../json/read_document.ts";
import { type DocumentFault, schemaFault } from "../json/schema_faults.ts";
import { isPlainObject, pointerTo } from "../json/values.ts";
import { quote } from "../text/describe.ts";
import { contributionFault } from "./assert_savable.ts";
import { beyondSchemaFault } from "./check_pattern.ts";
import { fillContributions } from "./contributions.ts";
import { assertReadableVersion } from "./format_version.ts";
import { PatternLibrary } from "./library.ts";
import { isOrdinaryPattern } from "./ordinary_pattern.ts";
import { completePattern, type Pattern, type PatternInput } from "./pattern.ts";

const NUMBER_FIELDS = ["confidence", "usage_count", "success_count", "failure_count"] as const;

/** The members that mean something; others are ignored. */
interface Members {
  patterns?: unknown;
  agent_contributions?: Record<string, string[]> | null;
  metadata?: unknown;
}

/** Receives the document of specification section 2.4 and makes a library of it, keeping nothing else. */
export class LibraryDocument implements DocumentReceiver {
  readonly itemsOf = "patterns";
  /** The document, with an empty array for its patterns. */
  #document: unknown = {};
  #patterns = new ReceivedPatterns();

  beginItems(): void {
    this.member("patterns", []);
  }

  items(values: unknown[]): void {
    for (const value of values) this.#patterns.add(value);
  }

  member(name: string, value: unknown): void {
    if (name === "patterns") this.#patterns = new ReceivedPatterns();
    if (name === "patterns" || name === "agent_contributions" || name === "metadata") {
      (this.#document as Members)[name] = value as never;
    }
  }

  other(value: unknown): void {
    this.#document = value;
  }

  /**
   * The library, once everything was received. Of several faults it is the first that the schema sees, then the first that
   * it cannot see.
   */
  library(filepath: string): PatternLibrary {
    const document = this.#document;
    const metadata = isPlainObject(document) ? document["metadata"] : undefined;
    if (isPlainObject(metadata)) assertReadableVersion(metadata["version"], filepath);
    const { schemaFault: first, laterFault, library } = this.#patterns;
    const fault = first ?? schemaFault(validatePatternLibrary, document) ?? laterFault;
    if (fault !== undefined) refuse(filepath, fault);
    const contributions = (document as Members).agent_contributions ?? undefined;
    for (const [agentId, patternIds] of Object.entries(contributions ?? {})) {
      const reason = contributionFault(agentId, patternIds);
      if (reason !== undefined) refuse(filepath, { pointer: pointerTo("/agent_contributions", agentId), reason });
    }
    fillContributions(library, contributions);
    return library;
  }
}

/** The patterns of one array, as long as they are patterns. */
class ReceivedPatterns {
  readonly library: PatternLibrary = new PatternLibrary();
  schemaFault: DocumentFault | undefined;
  /** What the schema cannot see; it matters only when the schema sees nothing, to the end of the document. */
  laterFault: DocumentFault | undefined;
  #count = 0;

  add(value: unknown): void {
    if (this.schemaFault !== undefined) return;
    if (!isOrdinaryPattern(value)) this.#addOther(value);
    else if (this.laterFault === undefined) this.#keep(value);
    this.#count += 1;
  }

  #addOther(value: unknown): void {
    roundTypedNumbers(value);
    const fault = schemaFault(validatePattern, value);
    if (fault !== undefined) this.schemaFault = this.#placed(fault);
    if (fault !== undefined || this.laterFault !== undefined) return;
    const later = beyondSchemaFault(value as PatternInput);
    if (later === undefined) this.#keep(completePattern(value as PatternInput));
    else this.laterFault = this.#placed(later);
  }

  #keep(pattern: Pattern): void {
    const { patterns } = this.library;
    const before = patterns.size;
    patterns.set(pattern.id, pattern);
    if (patterns.size > before) return;
    const reason = `the id ${quote(pattern.id)} stands for an earlier pattern already`;
    this.laterFault = this.#placed({ pointer: "/id", reason });
  }

  #placed({ pointer, reason }: DocumentFault): DocumentFault {
    return { pointer: `/patterns/${this.#count}${pointer}`, reason };
  }
}

/** Fields that the specification types as real or integer are doubles; only `context` keeps more. */
function roundTypedNumbers(pattern: unknown): void {
  if (!isPlainObject(pattern)) return;
  for (const field of NUMBER_FIELDS) {
    if (typeof pattern[field] === "object") pattern[field] = toDouble(pattern[field]);
  }
}

function refuse(filepath: string, { pointer, reason }: DocumentFault): never {
  const place = pointer === "" ? "the top of the document" : pointer;
  throw new ValidationError(`${filepath}: not a pattern library: ${place}: ${reason}. The file was left as it is.`, {
    path: filepath,
    pointer,
  });
}
