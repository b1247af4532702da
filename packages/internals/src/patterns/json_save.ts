import { isDeepStrictEqual } from "node:util";
import { ValidationError } from "../errors/errors.ts";
import type { Access } from "../files/access.ts";
import { writeFileAtomically, type Write } from "../files/atomic_write.ts";
import { assertDocumentPlace } from "../files/places.ts";
import { stringifyExact } from "../json/exact_numbers.ts";
import { ordinaryLength } from "../json/ordinary_value.ts";
import { inspectJson } from "../json/values.ts";
import { describe, quote } from "../text/describe.ts";
import { assertOptions } from "../text/options.ts";
import { documentTimestamp, readClock } from "../text/timestamps.ts";
import { FORMAT_VERSION } from "./format_version.ts";
import { assertSavable } from "./assert_savable.ts";
import { hasNewUse, placeAt } from "./known_use.ts";
import { loadLibraryFromJson } from "./json_load.ts";
import { assertMayReplace } from "./invalid_patterns.ts";
import type { PatternLibrary } from "./library.ts";
import { completePattern, type Pattern } from "./pattern.ts";
import type { SaveToJsonOptions } from "./save_result.ts";
import { isSavedSince, rememberFile } from "./seen_file.ts";

/**
 * Writes a library as the JSON file of specification section 2.4: indented by two, patterns in library order, all
 * fourteen fields of each. An existing file is replaced atomically and durably (ruling U-save-existing).
 *
 * @param access Owner, group and mode of a new file; by default those of this user and the umask.
 * @throws ValidationError for a library that JSON cannot represent, and if another program has saved the file since the
 * library was loaded from it or saved to it. The file is unchanged.
 */
export function saveLibraryToJson(
  library: PatternLibrary,
  filepath: string,
  options: SaveToJsonOptions = {},
  access?: Access,
): void {
  assertDocumentPlace("filepath", filepath);
  assertOptions("options", options, ["dropInvalid", "overwrite"]);
  const others = assertSavable(library, filepath);
  assertMayReplace(library, filepath, options);
  assertNotSavedSince(library, filepath, options);
  // Read before anything is written, because a clock may throw.
  const savedAt = documentTimestamp(readClock(library.clock));
  const version = writeFileAtomically(
    filepath,
    (write) => writeLibrary({ library, others, filepath, savedAt }, write),
    // Again, because another program may save while this one writes.
    {
      clean: true,
      beforePlacing: () => assertNotSavedSince(library, filepath, options),
      ...(access === undefined ? {} : { access }),
    },
  );
  rememberFile(library, filepath, version);
}

/**
 * Prevents a save from deleting what another program has saved to the same file meanwhile (ruling U-save-existing).
 *
 * @throws ValidationError before the file is replaced.
 */
function assertNotSavedSince(library: PatternLibrary, filepath: string, { overwrite }: SaveToJsonOptions): void {
  if (overwrite !== undefined && typeof overwrite !== "boolean")
    throw new ValidationError(`expected a boolean, got ${describe(overwrite)}.`, { argument: "options.overwrite" });
  if (overwrite === true || !isSavedSince(library, filepath) || isSavedAs(library, filepath)) return;
  throw new ValidationError(
    "another program has saved this file since the library was loaded from it or saved to it, and this save would delete its changes. Nothing was written. Load the file again and repeat the changes, use a database, which several programs can save to, or replace the file with { overwrite: true }.",
    { path: filepath },
  );
}

/**
 * True if a file has the content of a library that was not used since: then a save deletes nothing. Equal counts of two
 * programs may be different uses.
 */
function isSavedAs(library: PatternLibrary, filepath: string): boolean {
  if (hasNewUse(library, placeAt(filepath))) return false;
  try {
    const { patterns, agentContributions } = loadLibraryFromJson(filepath);
    return isDeepStrictEqual([patterns, agentContributions], [library.patterns, library.agentContributions]);
  } catch {
    // A file that cannot be loaded has other content.
    return false;
  }
}

/** A library whose fields were checked, except the content of contexts. */
interface CheckedLibrary {
  library: PatternLibrary;
  /** See {@link assertSavable}. */
  others: Set<Pattern>;
  filepath: string;
  savedAt: string;
}

function writeLibrary(checked: CheckedLibrary, write: Write): void {
  const { library, savedAt } = checked;
  write("{\n");
  writeMembers('  "patterns": [', "  ]", patternTexts(checked), write);
  write(",\n");
  writeMembers('  "agent_contributions": {', "  }", contributionTexts(library), write);
  write(",\n");
  const metadata = {
    saved_at: savedAt,
    pattern_count: library.size,
    version: FORMAT_VERSION,
  };
  write(`  "metadata": ${indentBy(2, JSON.stringify(metadata, null, 2))}\n}\n`);
}

/** Writes a JSON array or object in pieces, so that no string contains the whole file. */
function writeMembers(open: string, close: string, members: Iterable<string>, write: Write): void {
  let separator = "";
  write(open);
  for (const text of members) {
    write(separator);
    write(text);
    separator = ",";
  }
  write(separator === "" ? close.trimStart() : `\n${close}`);
}

/** Indents JSON text. Its strings contain no raw line breaks, so every line break belongs to the layout. */
function indentBy(width: number, text: string): string {
  return text.replaceAll("\n", `\n${" ".repeat(width)}`);
}

/** Approximate number of characters up to which patterns are converted to text together. */
const BATCH = 1 << 15;

function* patternTexts({ library, others, filepath }: CheckedLibrary): Iterable<string> {
  let batch: Pattern[] = [];
  let length = 0;
  for (const pattern of library.patterns.values()) {
    const more = others.has(pattern) ? Number.NaN : patternLength(pattern);
    const alone = Number.isNaN(more);
    if (batch.length > 0 && (alone || length + more > BATCH)) {
      yield membersText(batch);
      batch = [];
      length = 0;
    }
    if (alone) {
      yield `\n    ${indentBy(4, patternText(pattern, filepath))}`;
    } else {
      batch.push(asDocumented(pattern));
      length += more;
    }
  }
  if (batch.length > 0) yield membersText(batch);
}

/** See {@link ordinaryLength}. */
function patternLength(pattern: Pattern): number {
  const { pattern_type, name, description, context, code, confidence, tags } = pattern;
  // The whole pattern is not passed on, because its fields were checked before.
  return (
    ordinaryLength(confidence) +
    ordinaryLength(context) +
    ordinaryLength(tags) +
    pattern_type.length +
    name.length +
    (description?.length ?? 0) +
    (code?.length ?? 0)
  );
}

/** Replaces the blank in timestamps as SQLite writes them with a T, which section 2.1 requires in documents. */
function asDocumented(pattern: Pattern): Pattern {
  const { discovered_at, last_used } = pattern;
  if (discovered_at?.[DATE_LENGTH] !== " " && last_used?.[DATE_LENGTH] !== " ") return pattern;
  return { ...pattern, discovered_at: withT(discovered_at), last_used: withT(last_used) };
}

const DATE_LENGTH = "YYYY-MM-DD".length;

const withT = (timestamp: string | null): string | null => timestamp?.replace(" ", "T") ?? null;

const [BEFORE, AFTER] = ["[\n  [", "\n  ]\n]"];

/** The members of an array or object, indented like an array in the document. */
function membersText(container: Pattern[] | Record<string, string[]>): string {
  return JSON.stringify([container], null, 2).slice(BEFORE.length, -AFTER.length);
}

function patternText(pattern: Pattern, filepath: string): string {
  const fields = asDocumented(completePattern(pattern));
  const { needsExactWriter } = inspectJson(
    fields.context,
    `pattern ${quote(pattern.id)} for ${filepath}: context`,
    "library",
  );
  const exact = needsExactWriter || Object.is(fields.confidence, -0);
  return exact ? stringifyExact(fields, 2) : JSON.stringify(fields, null, 2);
}

function* contributionTexts(library: PatternLibrary): Iterable<string> {
  for (const [agentId, patternIds] of library.agentContributions) {
    yield membersText({ [agentId]: patternIds });
  }
}
