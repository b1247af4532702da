import type { PackedPackage } from "./pack.ts";
import type { Listing, Registry } from "./registry.ts";
import { compareVersions, partsOf } from "./versions.ts";

/** What is to be done with a package, and why. */
export interface Step extends PackedPackage {
  /** `other` was published before with other content: nothing can be done about that, and nothing need be. */
  state: "to publish" | "published" | "other";
}

/** Asks the registry what it has. @throws {Error} when it does not answer, or a tag would go back to an older version. */
export async function planRelease(packages: readonly PackedPackage[], registry: Registry): Promise<Step[]> {
  const steps: Step[] = [];
  for (const { version } of packages) partsOf(version);
  for (const packed of packages) {
    const listing = await registry.listing(packed.name);
    steps.push({ ...packed, state: await stateOf(packed, listing, registry) });
  }
  return steps;
}

async function stateOf(packed: PackedPackage, listing: Listing, registry: Registry): Promise<Step["state"]> {
  const { name, version, tag, integrity } = packed;
  if (listing.versions.includes(version))
    return (await registry.integrity(name, version)) === integrity ? "published" : "other";
  const newest = listing.tags[tag];
  if (newest !== undefined && compareVersions(newest, version) > 0 && !isOfOtherLine(packed, newest))
    throw new Error(`${name} ${version} would take the tag ${tag} from ${newest}, which is newer`);
  return "to publish";
}

/** Whether a tag of one line stands at a version of the other: then publishing puts it right. */
const isOfOtherLine = ({ name, version }: PackedPackage, tagged: string): boolean =>
  name === "perdura" && tagged.split(".")[0] !== version.split(".")[0];

/** What is wrong with the registry's tags after everything is published, with the command that mends it. */
export async function tagFaults(steps: readonly Step[], registry: Registry): Promise<string[]> {
  const found: string[] = [];
  for (const step of steps) {
    const { name, version, tag } = step;
    const newest = (await registry.listing(name)).tags[tag];
    if (newest === undefined || isOfOtherLine(step, newest) || compareVersions(newest, version) < 0)
      found.push(
        `${name}: the tag ${tag} says ${newest ?? "nothing"}, expected ${version}: npm dist-tag add ${name}@${version} ${tag}`,
      );
  }
  return found;
}
