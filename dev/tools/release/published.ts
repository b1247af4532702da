import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A package of this repository that is published. */
export interface PublishedPackage {
  /** Below `packages`. */
  folder: string;
  /** On the registry; both lines have the same. */
  name: string;
  /** What `npm install NAME@TAG` says to get the newest one. `v15` would be read as a version. */
  tag: "latest" | "latest-15";
  /** The largest tarball, in bytes. */
  most: number;
  /**
   * Names under which users install other packages beside it, and that are no packages themselves. They are no peers:
   * npm asks the registry for those, where anybody could publish under such a name what keeps ours from being installed.
   */
  beside?: readonly string[];
}

/**
 * In the order in which they are published. The 16 line comes before the 15 line: a registry gives the first version of
 * a package the tag `latest` as well, whatever else it is called.
 */
export const PUBLISHED: readonly PublishedPackage[] = [
  { folder: "v16", name: "perdura", tag: "latest", most: 150_000 },
  { folder: "v15", name: "perdura", tag: "latest-15", most: 150_000 },
  { folder: "postgres", name: "@perdura/postgres", tag: "latest", most: 150_000 },
  { folder: "migrator", name: "@perdura/migrator", tag: "latest", most: 400_000 },
  { folder: "backup", name: "@perdura/backup", tag: "latest", most: 250_000 },
  {
    folder: "conformance",
    name: "@perdura/conformance",
    tag: "latest",
    most: 800_000,
    beside: ["perdura-15", "perdura-16"],
  },
];

/** The version that a package has in a working tree. */
export function versionOf(root: string, { folder }: PublishedPackage): string {
  const manifest = readFileSync(join(root, "packages", folder, "package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
