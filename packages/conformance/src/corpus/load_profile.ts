import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../package_root.ts";
import { readJsonFile } from "../values/parse_json.ts";
import { areaOf } from "./case.ts";
import type { LoadedCase } from "./load_cases.ts";
import type { Level } from "./requirements.ts";
import { violations } from "../values/schemas.ts";

/** The part of the specification that an implementation is judged by. Cases outside of it do not count. */
export interface Profile {
  name: string;
  description: string;
  /** Capabilities of the profile: cases that need another one are outside. */
  capabilities?: string[];
  /** Areas of the profile: cases of another one are outside. */
  areas?: string[];
  /** Levels of the profile: cases of another one are outside. */
  levels?: Level[];
}

/** Names of the profiles of this suite. */
export function profileNames(): string[] {
  return readdirSync(join(packageRoot(), "profiles"))
    .map((name) => name.replace(/\.json$/, ""))
    .toSorted();
}

/**
 * Loads a profile of this suite by its name, or one from a file.
 * @param nameOrFile such as `patterns`, or `./our-profile.json`.
 * @throws {Error} when neither exists, or the file is not a profile.
 * @example
 * ```ts
 * import { loadProfile } from "@perdura/conformance";
 *
 * console.log(loadProfile("json").capabilities); // [ 'patterns_json' ]
 * ```
 */
export function loadProfile(nameOrFile: string): Profile {
  const shipped = profileNames().includes(nameOrFile);
  const file = shipped ? join(packageRoot(), "profiles", `${nameOrFile}.json`) : nameOrFile;
  if (!shipped && !existsSync(file))
    throw new Error(`there is no profile "${nameOrFile}": expected ${profileNames().join(", ")}, or a file`);
  const parsed = readJsonFile(file, `the profile ${file}`);
  const faults = violations("profile", parsed);
  if (faults.length > 0) throw new Error(`the profile ${file}: ${faults.join("; ")}`);
  return parsed as Profile;
}

/** True if the case belongs to the profile. `needed` are the capabilities that it needs for the judged version. */
export function isInProfile(profile: Profile, loaded: LoadedCase, needed: readonly string[]): boolean {
  const { capabilities, areas, levels } = profile;
  return (
    (capabilities === undefined || needed.every((name) => capabilities.includes(name))) &&
    (areas === undefined || areas.includes(areaOf(loaded.case.id))) &&
    (levels === undefined || levels.includes(loaded.level))
  );
}
