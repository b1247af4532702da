import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as line15 from "perdura-15";
import * as line16 from "perdura";
import { asDocumented } from "../../../../../test/as_documented.ts";
import type { Chance } from "../../../../../test/hostile/chance.ts";
import { faultsOfError } from "../judge_error.ts";
import type { Bench, Try } from "../reader.ts";
import { differenceOf } from "../same_value.ts";
import { hostileDocument, LIBRARY } from "../../../../../test/hostile/documents.ts";
import { depthOf, hasEscapedKeys, type Plainly, plainly } from "./strict_text.ts";

type Line = Pick<typeof line16, "PatternPersistence">;

/** Libraries in JSON, read by either line. */
export const ofLine16 = (): Try => ({ document: (chance, bench) => tryOne(line16, chance, bench) });
export const ofLine15 = (): Try => ({ document: (chance, bench) => tryOne(line15, chance, bench) });

function tryOne(line: Line, chance: Chance, { directory }: Bench): string[] {
  const bytes = hostileDocument(chance.made(LIBRARY), chance);
  return judgeLibrary(line, bytes, directory);
}

/** Loads a document, then saves and loads the library that it was read as. */
export function judgeLibrary({ PatternPersistence }: Line, bytes: Buffer, directory: string): string[] {
  const path = join(directory, "library.json");
  writeFileSync(path, bytes);
  const expected = plainly(bytes);
  let library: line16.PatternLibrary;
  try {
    library = PatternPersistence.loadFromJson(path);
  } catch (error) {
    return [...faultsOfRefusal(error, expected, bytes, path), ...unlessSame(path, bytes)];
  }
  if (!expected.isJson) return ["accepted, but is not JSON in UTF-8"];
  const known = JSON.stringify(contentOf(library, asDocumented));
  const copy = join(directory, "copy.json");
  try {
    PatternPersistence.saveToJson(library, copy);
  } catch (error) {
    if (depthOf(expected.text) > 1000) return faultsOfError(error, { names: copy });
    return [`accepted, but not saved again: ${String(error).slice(0, 500)}`];
  }
  const reloaded = JSON.stringify(contentOf(PatternPersistence.loadFromJson(copy)));
  const faults = differenceOf(known, reloaded).map((text) => `not the same after saving: ${text}`);
  return [...faults, ...faultsOfReading(library, expected), ...unlessSame(path, bytes)];
}

function contentOf(
  { patterns, agentContributions }: line16.PatternLibrary,
  shown: (pattern: line16.Pattern) => line16.Pattern = (pattern) => pattern,
): unknown {
  // JavaScript orders integer keys in its own way.
  return [
    Array.from(patterns, ([id, pattern]) => [id, shown(pattern)]),
    [...agentContributions.entries()].sort(([one], [other]) => (one < other ? -1 : 1)),
  ];
}

function faultsOfRefusal(error: unknown, expected: Plainly, bytes: Buffer, path: string): string[] {
  const faults = faultsOfError(error, { names: path });
  const { code, line, column } = error as { code?: string; line?: number; column?: number };
  if ((code === "PERDURA_JSON_DECODE") === expected.isJson)
    faults.push(`${expected.isJson ? "JSON" : "not JSON"}, but refused with ${code}: ${String(error).slice(0, 300)}`);
  if (code === "PERDURA_JSON_DECODE" && !isPlace(line, column, bytes))
    faults.push(`line ${line}, column ${column}: not a position in the text`);
  return faults;
}

/** True for a place in the text, or directly after it. */
function isPlace(line: number | undefined, column: number | undefined, bytes: Buffer): boolean {
  const lines = bytes.toString("latin1").split(/\r\n|[\r\n]/);
  const found = lines[(line ?? 0) - 1];
  return found !== undefined && (column ?? 0) >= 1 && (column as number) <= found.length + 1;
}

/** Compares with the result of `JSON.parse`, an independent reader. */
function faultsOfReading(library: line16.PatternLibrary, { value, text }: Plainly): string[] {
  if (hasEscapedKeys(text)) return [];
  const { patterns } = value as { patterns?: { id: string; name: string; code?: unknown }[] };
  const theirs = (patterns ?? []).map(({ id, name, code }) => [id, name, code ?? null]);
  const ours = [...library.patterns.values()].map(({ id, name, code }) => [id, name, code]);
  return differenceOf(JSON.stringify(theirs), JSON.stringify(ours)).map((found) => `read with other content: ${found}`);
}

function unlessSame(path: string, bytes: Buffer): string[] {
  return readFileSync(path).equals(bytes) ? [] : ["the document was changed"];
}
