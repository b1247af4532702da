import { ValidationError } from "../errors/errors.ts";
import { validatePatternLibrary } from "../generated/validators.js";
import type { NonFinite } from "../json/load_options.ts";
import type { DocumentReceiver } from "../json/read_document.ts";
import { type DocumentFault, schemaFault } from "../json/schema_faults.ts";
import { isPlainObject, pointerTo } from "../json/values.ts";
import { shownPointer } from "../text/describe.ts";
import { contributionFault } from "./assert_savable.ts";
import { fillContributions } from "./contributions.ts";
import { assertReadableVersion } from "./format_version.ts";
import { PatternLibrary } from "./library.ts";
import { ReceivedPatterns, type Receiving } from "./received_patterns.ts";

/** Members of the document that are used; others are ignored. */
interface Members {
  patterns?: unknown;
  agent_contributions?: Record<string, string[]> | null;
  metadata?: unknown;
}

/** Options for a {@link LibraryDocument}. */
interface Reading extends Receiving {
  nonFinite?: NonFinite | undefined;
}

/** Receives the document of specification section 2.4 and creates a library from it. Nothing else is kept in memory. */
export class LibraryDocument implements DocumentReceiver {
  readonly itemsOf = "patterns";
  readonly nonFinite: NonFinite | undefined;
  /** True if the key `patterns` occurs twice. The last one is used. */
  repeatsPatterns = false;
  /** The document, with an empty array in the place of its patterns. */
  #document: unknown = {};
  readonly nonFiniteItem: DocumentReceiver["nonFiniteItem"];
  readonly #reading: Reading;
  #patterns: ReceivedPatterns;

  constructor(reading: Reading = {}) {
    this.nonFinite = reading.nonFinite;
    this.#reading = reading;
    this.#patterns = this.#receivePatterns();
    if (reading.onFault !== undefined)
      this.nonFiniteItem = (value, reason) => this.#patterns.addNonFinite(value, reason);
  }

  #receivePatterns(): ReceivedPatterns {
    return new ReceivedPatterns(this.#reading);
  }

  beginItems(): void {
    this.member("patterns", []);
  }

  items(values: unknown[]): void {
    for (const value of values) this.#patterns.add(value);
  }

  member(name: string, value: unknown): void {
    if (name === "patterns") {
      this.repeatsPatterns ||= isPlainObject(this.#document) && Object.hasOwn(this.#document, name);
      this.#patterns = this.#receivePatterns();
    }
    if (name === "patterns" || name === "agent_contributions" || name === "metadata") {
      (this.#document as Members)[name] = value as never;
    }
  }

  other(value: unknown): void {
    this.#document = value;
  }

  /** The document's `metadata`; undefined if it has none. */
  get metadata(): unknown {
    return isPlainObject(this.#document) ? this.#document["metadata"] : undefined;
  }

  /** Number of valid patterns. */
  get count(): number {
    return this.#patterns.count;
  }

  /**
   * Returns the library after everything was received. If there are several faults, throws the first one that the
   * schema finds, otherwise the first one that the schema cannot find. With `newIds`, the library has no patterns.
   */
  library(filepath: string): PatternLibrary {
    const document = this.#document;
    const { metadata } = this;
    if (isPlainObject(metadata)) assertReadableVersion(metadata["version"], filepath);
    const { schemaFault: first } = this.#patterns;
    const outside = first ?? schemaFault(validatePatternLibrary, document);
    if (outside !== undefined) refuse(filepath, outside);
    const library = new PatternLibrary();
    const fault = this.#patterns.putInto(library.patterns);
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

function refuse(filepath: string, { pointer, reason }: DocumentFault): never {
  const place = pointer === "" ? "the top of the document" : shownPointer(pointer);
  throw new ValidationError(`not a pattern library: ${place}: ${reason}.`, {
    path: filepath,
    pointer,
  });
}
