import { show } from "../values/escape.ts";

/** A specification version: three numbers and the prerelease parts. */
export interface Version {
  numbers: [number, number, number];
  prerelease: string[];
}

/** A range: every bound must hold. No bound at all is every version. */
export type VersionRange = { operator: string; version: Version }[];

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

/**
 * Reads `16.0.0` or `16.0.0-rc.1`.
 * @throws {Error} when the text is no full version.
 */
export function parseVersion(text: string): Version {
  const parts = VERSION.exec(text);
  if (!parts)
    throw new Error(
      `${show(text, 100)} is not a version: wanted is major.minor.patch, with -prerelease where there is one`,
    );
  return { numbers: [Number(parts[1]), Number(parts[2]), Number(parts[3])], prerelease: parts[4]?.split(".") ?? [] };
}

/**
 * Reads bounds such as `>=16.0.0-0 <17.0.0-0`, or `*`.
 * @throws {Error} when a bound is not one of `< <= > >= =` with a full version.
 */
export function parseRange(text: string): VersionRange {
  if (text.trim() === "*") return [];
  return text
    .trim()
    .split(/\s+/)
    .map((bound) => {
      const parts = /^(<=|>=|<|>|=)(.+)$/.exec(bound);
      if (!parts)
        throw new Error(`${show(bound, 100)} in the range ${show(text, 100)} is not a bound such as >=16.0.0-0`);
      return { operator: parts[1] as string, version: parseVersion(parts[2] as string) };
    });
}

/**
 * True when the version lies in the range. Prereleases are ordered like any version and never left out: `16.0.0-rc.1`
 * lies in `>=16.0.0-0` and not in `<16.0.0-0`, so a prerelease of 16 is judged as 16 (ruling U-version-boundary).
 */
export function inRange(version: string, range: string): boolean {
  const subject = parseVersion(version);
  return parseRange(range).every((bound) => {
    const order = compareVersions(subject, bound.version);
    if (bound.operator === "<") return order < 0;
    if (bound.operator === "<=") return order <= 0;
    if (bound.operator === ">") return order > 0;
    if (bound.operator === ">=") return order >= 0;
    return order === 0;
  });
}

/** Order of two versions as Semantic Versioning 2.0.0 has it: negative, zero or positive. Build metadata does not count. */
export function compareVersions(a: Version, b: Version): number {
  for (const index of [0, 1, 2] as const) {
    if (a.numbers[index] !== b.numbers[index]) return a.numbers[index] - b.numbers[index];
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  for (let index = 0; index < Math.max(a.prerelease.length, b.prerelease.length); index += 1) {
    const order = comparePart(a.prerelease[index], b.prerelease[index]);
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  const numeric = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (numeric[0] && numeric[1]) return Number(a) - Number(b);
  if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1;
  return a < b ? -1 : 1;
}

/** True when a version belongs to what `--line` asked for: `16` is every 16.x.y, a full version is that version. */
export function onLine(version: string, line: string): boolean {
  return /^\d+$/.test(line) ? parseVersion(version).numbers[0] === Number(line) : version === line;
}
