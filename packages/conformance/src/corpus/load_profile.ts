import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../package_root.ts";
import { readJsonFile } from "../values/parse_json.ts";
import { areaOf } from "./case.ts";
import type { LoadedCase } from "./load_cases.ts";
import type { Level } from "./requirements.ts";
import { violations } from "./schemas.ts";

/** A part of the specification that an implementation is judged by: what is outside does not count. */
export interface Profile {
  name: string;
  description: string;
  /** Cases that need another capability are outside. */
  capabilities?: string[];
  /** Cases of another area are outside. */
  areas?: string[];
  /** Cases of another level are outside. */
  levels?: Level[];
}

/** The names of the profiles that this suite ships. */
export function profileNames(): string[] {
  return readdirSync(join(packageRoot(), "profiles"))
    .map((name) => name.replace(/\.json$/, ""))
    .toSorted();
}

/**
 * A shipped profile by its name, or one from a file.
 * @param nameOrFile such as `patterns`, or `./our-profile.json`.
 * @throws {Error} when there is neither, or the file is no profile.
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
    throw new Error(`there is no profile "${nameOrFile}": the names are ${profileNames().join(", ")}; or give a file`);
  const parsed = readJsonFile(file, `the profile ${file}`);
  const faults = violations("profile", parsed);
  if (faults.length > 0) throw new Error(`the profile ${file}: ${faults.join("; ")}`);
  return parsed as Profile;
}

/** True when the case belongs to the profile. `needed` are the capabilities that it needs for the judged version. */
export function isInProfile(profile: Profile, loaded: LoadedCase, needed: readonly string[]): boolean {
  const { capabilities, areas, levels } = profile;
  return (
    (capabilities === undefined || needed.every((name) => capabilities.includes(name))) &&
    (areas === undefined || areas.includes(areaOf(loaded.case.id))) &&
    (levels === undefined || levels.includes(loaded.level))
  );
}
