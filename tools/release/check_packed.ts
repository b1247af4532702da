import { contentFaults } from "./check_content.ts";
import { type PackedPackage, pack } from "./pack.ts";
import { PUBLISHED } from "./published.ts";
import { runTool } from "./run_tool.ts";

/** All packages as they go to the registry, and what is wrong with them. */
export interface CheckedPackages {
  packages: PackedPackage[];
  faults: string[];
}

/** Packs every package, looks into the tarballs, and asks publint and are-the-types-wrong about them. */
export async function checkPackages(root: string, workshop: string): Promise<CheckedPackages> {
  const packages = await Promise.all(PUBLISHED.map((published) => pack(root, published, workshop)));
  const faults = await Promise.all(packages.map((each) => faultsOf(root, each)));
  return { packages, faults: faults.flat() };
}

async function faultsOf(root: string, packed: PackedPackage): Promise<string[]> {
  const asked = await Promise.all([
    judge(root, packed, ["publint", "--strict"]),
    judge(root, packed, ["attw", "--profile", "esm-only", "--no-emoji"]),
  ]);
  return [...contentFaults(packed), ...asked.flat()];
}

async function judge(root: string, { folder, tarball }: PackedPackage, words: string[]): Promise<string[]> {
  const { status, stdout, stderr } = await runTool("pnpm", ["exec", ...words, tarball], root);
  return status === 0 ? [] : [`packages/${folder}: ${words.join(" ")}:\n${stdout}${stderr}`];
}
