import type { PackedPackage } from "./pack.ts";
import type { Listing, Registry } from "./registry.ts";
import { compareVersions } from "./versions.ts";

/** What is to be done with a package, and why. */
export interface Step extends PackedPackage {
  /** `other` was published before with other content: nothing can be done about that, and nothing need be. */
  state: "to publish" | "published" | "other";
}

/** Asks the registry what it has. @throws {Error} when it does not answer, or a tag would go back to an older version. */
export async function planRelease(packages: readonly PackedPackage[], registry: Registry): Promise<Step[]> {
  const steps: Step[] = [];
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
  if (newest !== undefined && sameLine(newest, version) && compareVersions(newest, version) > 0)
    throw new Error(`${name} ${version} would take the tag ${tag} from ${newest}, which is newer`);
  return "to publish";
}

/** What a registry made of a first version may be of another line: then the tag is put right by publishing. */
const sameLine = (one: string, other: string): boolean => one.split(".")[0] === other.split(".")[0];

/** What is wrong with the registry's tags after everything is published, with the command that mends it. */
export async function tagFaults(steps: readonly Step[], registry: Registry): Promise<string[]> {
  const found: string[] = [];
  for (const { name, version, tag } of steps) {
    const { tags } = await registry.listing(name);
    const newest = tags[tag];
    if (newest === undefined || !sameLine(newest, version) || compareVersions(newest, version) < 0)
      found.push(
        `${name}: the tag ${tag} says ${newest ?? "nothing"}, expected ${version}: npm dist-tag add ${name}@${version} ${tag}`,
      );
  }
  return found;
}
