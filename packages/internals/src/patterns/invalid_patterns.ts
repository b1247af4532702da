import { statSync } from "node:fs";
import { ValidationError } from "../errors/errors.ts";
import { withStorage } from "../files/storage_errors.ts";
import { assertLoadOptions, type LoadOptions } from "../json/load_options.ts";
import { describe } from "../text/describe.ts";
import type { PatternLibrary } from "./library.ts";
import type { SaveMode } from "./save_result.ts";

/** A pattern that could not be loaded. */
export interface InvalidPattern {
  /** The file or database that was loaded. */
  path: string;
  /** Place of the fault: a JSON Pointer such as `/patterns/3/name` in a document, a row such as `row 4` in a table. */
  place: string;
  /** Identifier of the pattern as it is stored; undefined if that is not text. */
  id: string | undefined;
  /** The invalid field; undefined if the fault does not concern exactly one field. */
  field: string | undefined;
  /** The fault, without a full stop. */
  reason: string;
}

/** Options for loading a pattern library. */
export interface LibraryLoadOptions extends LoadOptions {
  /**
   * Called for each invalid pattern, in their order, after the source was read and closed; the valid patterns are
   * loaded. Without it, one invalid pattern fails the whole load. Faults of the source as a whole always fail it. The
   * library remembers its source: see `dropInvalid` of the methods that save.
   */
  onInvalid?: ((problem: InvalidPattern) => void) | undefined;
}

/** @throws ValidationError for an unknown option, and for an invalid value. */
export function assertLibraryLoadOptions(options: LibraryLoadOptions | undefined): void {
  assertLoadOptions(options, ["nonFinite", "onInvalid"]);
  const onInvalid: unknown = options?.onInvalid;
  if (onInvalid === undefined || typeof onInvalid === "function") return;
  throw new ValidationError(`expected a function, got ${describe(onInvalid)}.`, { argument: "options.onInvalid" });
}

/** Marks a library as incomplete, then reports the patterns that it lacks. */
export function reportInvalid(
  library: PatternLibrary,
  source: string,
  problems: readonly InvalidPattern[],
  onInvalid: LibraryLoadOptions["onInvalid"],
): void {
  if (problems.length === 0) return;
  library.incompleteSource = source;
  for (const problem of problems) onInvalid?.(problem);
}

/** Option for saving over the source of a library that was loaded with `onInvalid`. */
export interface DropInvalid {
  /**
   * Allows a save to replace the source of this library although the source contains patterns that could not be loaded.
   * Those patterns are lost.
   */
  dropInvalid?: boolean | undefined;
}

/**
 * Prevents a library that lacks patterns of its source from replacing that source.
 *
 * @param isSource True if the place to be replaced is the given source.
 * @throws ValidationError before anything is written.
 */
export function assertMayReplace(
  library: PatternLibrary,
  place: string,
  { dropInvalid, mode = "replace" }: DropInvalid & { mode?: SaveMode | undefined },
  isSource: (source: string) => boolean = (source) => isSameFile(source, place),
): void {
  if (dropInvalid !== undefined && typeof dropInvalid !== "boolean") {
    throw new ValidationError(`expected a boolean, got ${describe(dropInvalid)}.`, { argument: "options.dropInvalid" });
  }
  const source = library.incompleteSource;
  if (source === undefined || mode !== "replace" || dropInvalid === true || !isSource(source)) return;
  throw new ValidationError(
    `this library was loaded from here without its invalid patterns, which saving would delete. Nothing was written. Save it elsewhere, or delete them with { dropInvalid: true }.`,
    { path: place },
  );
}

function isSameFile(source: string, path: string): boolean {
  return withStorage(path, "saving", () => {
    const [one, other] = [source, path].map((each) => statSync(each, { bigint: true, throwIfNoEntry: false }));
    return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
  });
}
