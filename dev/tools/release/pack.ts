import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PUBLISHED, type PublishedPackage, versionOf } from "./published.ts";
import { runFine } from "./run_tool.ts";

/** A package as published. */
export interface PackedPackage extends PublishedPackage {
  version: string;
  tarball: string;
  /** The folder with the content of the tarball. */
  unpacked: string;
  bytes: number;
  /** In the form of registries: `sha512-` and the digest in base 64. */
  integrity: string;
}

/**
 * Packs the result of `pnpm build`. The same files give the same tarball, byte for byte.
 *
 * @param workshop A folder for tarballs and their content.
 */
async function pack(root: string, published: PublishedPackage, workshop: string): Promise<PackedPackage> {
  const place = join(workshop, published.folder);
  mkdirSync(place, { recursive: true });
  await runFine("pnpm", ["pack", "--pack-destination", place], join(root, "packages", published.folder));
  const file = readdirSync(place).find((name) => name.endsWith(".tgz"));
  if (file === undefined) throw new Error(`packages/${published.folder}: pnpm pack left no tarball in ${place}`);
  const tarball = join(place, file);
  await runFine("tar", ["-xzf", tarball, "-C", place], root);
  const bytes = readFileSync(tarball);
  return {
    ...published,
    version: versionOf(root, published),
    tarball,
    unpacked: join(place, "package"),
    bytes: bytes.length,
    integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
  };
}

/** Packs every package, each into its own folder in the workshop. */
export function packAll(root: string, workshop: string): Promise<PackedPackage[]> {
  return Promise.all(PUBLISHED.map((published) => pack(root, published, workshop)));
}
