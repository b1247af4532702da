import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A package of this repository that is published. */
export interface PublishedPackage {
  /** Below `packages`. */
  folder: string;
  /** Name on the registry; both lines have the same. */
  name: string;
  /** The tag of `npm install NAME@TAG` for the newest version. `v15` would be read as a version. */
  tag: "latest" | "latest-15";
  /**
   * Maximum size of the tarball, in bytes. The sources and source maps of a library take as much room as its code; its
   * driver, which is installed with it, has ten megabytes.
   */
  most: number;
  /**
   * Aliases under which users install other packages next to it, which are not packages themselves. They are not
   * declared as peers: npm looks those up in the registry, where a third party could publish a package with this name
   * that prevents the installation of ours.
   */
  beside?: readonly string[];
  /** The package that it extends, a peer that is not optional: every user has it, and there must not be a second one. */
  host?: string;
}

/**
 * In the order of publication. The 16+ line is published before the 15 line: a registry gives the first version of a
 * package the tag `latest` in addition to its own.
 */
export const PUBLISHED: readonly PublishedPackage[] = [
  { folder: "v16", name: "perdura", tag: "latest", most: 442_000 },
  { folder: "v15", name: "perdura", tag: "latest-15", most: 442_000 },
  { folder: "postgres", name: "@perdura/postgres", tag: "latest", most: 420_000 },
  { folder: "migrator", name: "@perdura/migrator", tag: "latest", most: 540_000 },
  { folder: "backup", name: "@perdura/backup", tag: "latest", most: 250_000 },
  // After the migrator, on which it depends.
  { folder: "inspect", name: "@perdura/inspect", tag: "latest", most: 250_000 },
  { folder: "mcp", name: "@perdura/mcp", tag: "latest", most: 250_000 },
  { folder: "otel", name: "@perdura/otel", tag: "latest", most: 60_000, host: "@opentelemetry/api" },
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
