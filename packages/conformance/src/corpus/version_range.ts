import { parse, Range } from "semver";
import type { SemVer } from "semver";
import { show } from "../values/escape.ts";

/**
 * Reads a full version of Semantic Versioning 2.0.0, such as `16.0.0` or `16.0.0-rc.1`.
 * @throws {Error} for any other text, including `v16.0.0` and `16.00.0`.
 */
export function parseVersion(text: string): SemVer {
  const version = /^\d/.test(text) && !/\s/.test(text) ? parse(text) : null;
  if (version === null)
    throw new Error(`${show(text, 100)} is not a version: expected major.minor.patch or major.minor.patch-prerelease`);
  return version;
}

/**
 * Reads bounds such as `>=16.0.0-0 <17.0.0-0`, or `*`. Short forms such as `^16.0.0` and `>=16` are refused, because
 * they do not state whether they include prereleases of 16.
 * @throws {Error} when a bound is not one of `< <= > >= =` with a full version.
 */
export function parseRange(text: string): Range {
  if (text.trim() === "*") return new Range("*", { includePrerelease: true });
  for (const bound of text.trim().split(/\s+/)) {
    const version = /^(?:<=|>=|<|>|=)(.+)$/.exec(bound)?.[1];
    if (version === undefined)
      throw new Error(`${show(bound, 100)} in the range ${show(text, 100)} is not a bound such as >=16.0.0-0`);
    parseVersion(version);
  }
  return new Range(text, { includePrerelease: true });
}

/**
 * True if the version is in the range. Prereleases are ordered like any version and never excluded: `16.0.0-rc.1` is in
 * `>=16.0.0-0` and not in `<16.0.0-0`, so a prerelease of 16 is judged as 16 (ruling U-version-boundary).
 * @throws {Error} when a text is not a version or not a range.
 */
export function inRange(version: string, range: string): boolean {
  const pair = `${version} ${range}`;
  const known = answers.get(pair);
  if (known !== undefined) return known;
  const isIn = parseRange(range).test(parseVersion(version));
  answers.set(pair, isIn);
  return isIn;
}

/** Answers of {@link inRange}: a run asks for each case and step, and cases have few ranges. */
const answers: Map<string, boolean> = new Map();

/** The versions of each line. A pre-16 implementation may have any version below 16, for example 2.9.0. */
const LINES: Readonly<Record<string, string>> = { "15": "<16.0.0-0", "16": ">=16.0.0-0" };

/** True if a version matches `--line`: `15` matches every version below 16, `16` all others, a full version only itself. */
export function onLine(version: string, line: string): boolean {
  const range = LINES[line];
  if (range !== undefined) return inRange(version, range);
  return /^\d+$/.test(line) ? parseVersion(version).major === Number(line) : version === line;
}

/** The line of a version, `15` or `16`. */
export function lineOfVersion(version: string): "15" | "16" {
  return onLine(version, "15") ? "15" : "16";
}
