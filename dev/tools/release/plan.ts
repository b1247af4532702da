import { compare, major, parse } from "semver";
import type { PackedPackage } from "./pack.ts";
import type { Listing, Registry } from "./registry.ts";

/** Action for a package, with its reason. */
export interface Step extends PackedPackage {
  /** `other` was published before with other content, which cannot and need not be changed. */
  state: "to publish" | "published" | "other";
}

/**
 * Asks the registry for its versions. @throws {Error} if it does not answer, or a tag would go back to an older
 * version.
 */
export async function planRelease(packages: readonly PackedPackage[], registry: Registry): Promise<Step[]> {
  const steps: Step[] = [];
  for (const { version } of packages) requireRelease(version);
  for (const packed of packages) {
    const listing = await registry.listing(packed.name);
    steps.push({ ...packed, state: await stateOf(packed, listing, registry) });
  }
  return steps;
}

/** A prerelease needs a separate tag, and is published manually. */
function requireRelease(version: string): void {
  const parsed = parse(version);
  if (parsed === null || parsed.version !== version || parsed.prerelease.length > 0)
    throw new Error(`version ${version}: expected X.Y.Z; publish pre-releases by hand, with a separate tag`);
}

async function stateOf(packed: PackedPackage, listing: Listing, registry: Registry): Promise<Step["state"]> {
  const { name, version, tag, integrity } = packed;
  if (listing.versions.includes(version))
    return (await registry.integrity(name, version)) === integrity ? "published" : "other";
  const newest = listing.tags[tag];
  if (newest !== undefined && compare(newest, version) > 0 && !isOfOtherLine(packed, newest))
    throw new Error(`${name} ${version} would move the tag ${tag} from ${newest}, which is newer`);
  return "to publish";
}

/** True if a tag of one line points to a version of the other: publishing corrects it. */
const isOfOtherLine = ({ name, version }: PackedPackage, tagged: string): boolean =>
  name === "perdura" && major(tagged) !== major(version);

/** Faults in the registry's tags after publishing, with the commands that correct them. */
export async function tagFaults(steps: readonly Step[], registry: Registry): Promise<string[]> {
  const found: string[] = [];
  for (const step of steps) {
    const { name, version, tag } = step;
    const newest = (await registry.listing(name)).tags[tag];
    if (newest === undefined || isOfOtherLine(step, newest) || compare(newest, version) < 0)
      found.push(
        `${name}: the tag ${tag} is ${newest ?? "missing"}, expected ${version}: run npm dist-tag add ${name}@${version} ${tag}`,
      );
  }
  return found;
}
