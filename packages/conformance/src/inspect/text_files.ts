import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { Check } from "../corpus/case.ts";
import { match } from "../matching/match.ts";
import { resolve } from "../matching/scope.ts";
import type { Scope } from "../matching/scope.ts";
import type { JsonValue } from "../values/json_value.ts";
import { readStrictJson } from "../values/strict_json.ts";
import { checkParts } from "./findings.ts";
import type { Finding } from "./findings.ts";

/**
 * Inspects a JSON file that the implementation wrote. A byte order mark or a repeated key is a difference.
 * @param file or `folder/*`, the only file of a folder.
 */
export function inspectJson(file: string, checks: Check[], scope: Scope): Finding[] {
  const bytes = readIfFile(placeOf(file, scope.directory));
  if (!bytes) return [missing(file)];
  const reading = readStrictJson(bytes);
  const defects = reading.problems.map((problem) => ({
    at: "",
    wanted: "strict JSON: UTF-8, no byte order mark, no repeated keys",
    got: problem,
  }));
  return reading.value === undefined ? defects : [...defects, ...checkParts(checks, reading.value, scope)];
}

/** Compares the text of a file. */
export function inspectText(file: string, expected: JsonValue, scope: Scope): Finding[] {
  const bytes = readIfFile(join(scope.directory, file));
  if (!bytes) return [missing(file)];
  return match(resolve(expected, scope), bytes.toString("utf8"), scope.began);
}

/** Compares the permissions of a file, three octal digits. */
export function inspectMode(file: string, expected: JsonValue, scope: Scope): Finding[] {
  const path = join(scope.directory, file);
  if (!existsSync(path)) return [missing(file)];
  return match(resolve(expected, scope), (statSync(path).mode & 0o777).toString(8), scope.began);
}

/** Compares the paths of the files below a folder of the case, with `/`, sorted. */
export function inspectFiles(under: string | undefined, expected: JsonValue, scope: Scope): Finding[] {
  const folder = under === undefined ? scope.directory : join(scope.directory, under);
  const names = existsSync(folder) ? listFiles(folder) : [];
  return match(resolve(expected, scope), names, scope.began);
}

/** Every file below a folder, without the folders. */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .split(sep)
        .join("/"),
    )
    .toSorted();
}

/** Resolves `folder/*` to the only file of a folder, or its only JSON file: the implementation chooses the name. */
export function placeOf(file: string, directory: string): string {
  const place = join(directory, file);
  if (!file.endsWith("/*")) return place;
  const folder = place.slice(0, -2);
  const names = existsSync(folder) ? listFiles(folder) : [];
  const documents = names.length === 1 ? names : names.filter((name) => name.endsWith(".json"));
  return documents.length === 1 ? join(folder, documents[0] as string) : place;
}

/** The bytes of a file; undefined if it does not exist. */
export function readIfFile(path: string): Buffer | undefined {
  return existsSync(path) && statSync(path).isFile() ? readFileSync(path) : undefined;
}

/** The difference for a missing file. */
export function missing(file: string): Finding {
  return { at: "", wanted: `the file ${file}`, got: undefined };
}
