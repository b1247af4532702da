import { writeFileAtomically, type Write } from "../files/atomic_write.ts";
import { assertDocumentPlace } from "../files/places.ts";
import { stringifyExact } from "../json/exact_numbers.ts";
import { inspectJson } from "../json/values.ts";
import { quote } from "../text/describe.ts";
import { documentTimestamp, readClock } from "../text/timestamps.ts";
import { FORMAT_VERSION } from "./format_version.ts";
import { assertSavable } from "./assert_savable.ts";
import type { PatternLibrary } from "./library.ts";
import { completePattern, type Pattern } from "./pattern.ts";

/**
 * Writes a library as the JSON file of specification section 2.4: indented by two, patterns in library order, all
 * fourteen fields of each. An existing file is replaced atomically and durably (ruling U-save-existing).
 *
 * @throws ValidationError for a library that holds what JSON cannot; the file stays as it was.
 */
export function saveLibraryToJson(library: PatternLibrary, filepath: string): void {
  assertDocumentPlace("filepath", filepath);
  assertSavable(library, filepath);
  // The time is asked for before anything is written: a clock may be broken.
  const savedAt = documentTimestamp(readClock(library.clock));
  writeFileAtomically(filepath, (write) => writeLibrary(library, filepath, savedAt, write), { clean: true });
}

function writeLibrary(library: PatternLibrary, filepath: string, savedAt: string, write: Write): void {
  write("{\n");
  writeMembers('  "patterns": [', "  ]", patternTexts(library, filepath), write);
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

/** Writes one JSON array or object, a member at a time, so that no string ever holds the whole file. */
function writeMembers(open: string, close: string, members: Iterable<string>, write: Write): void {
  let separator = "\n";
  write(open);
  for (const member of members) {
    write(`${separator}    ${indentBy(4, member)}`);
    separator = ",\n";
  }
  write(separator === "\n" ? close.trimStart() : `\n${close}`);
}

/** JSON text holds no raw line break inside strings, so each one is a line of the layout. */
function indentBy(width: number, text: string): string {
  return text.replaceAll("\n", `\n${" ".repeat(width)}`);
}

function* patternTexts(library: PatternLibrary, filepath: string): Iterable<string> {
  for (const pattern of library.patterns.values()) yield patternText(pattern, filepath);
}

function patternText(pattern: Pattern, filepath: string): string {
  const fields = completePattern(pattern);
  const { needsExactWriter } = inspectJson(fields.context, `pattern ${quote(pattern.id)} for ${filepath}: context`);
  const exact = needsExactWriter || Object.is(fields.confidence, -0);
  return exact ? stringifyExact(fields, 2) : JSON.stringify(fields, null, 2);
}

function* contributionTexts(library: PatternLibrary): Iterable<string> {
  for (const [agentId, patternIds] of library.agentContributions) {
    yield `${JSON.stringify(agentId)}: ${JSON.stringify(patternIds, null, 2)}`;
  }
}
