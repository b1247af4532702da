import { contentFaults } from "./check_content.ts";
import type { PackedPackage } from "./pack.ts";
import { runTool } from "./run_tool.ts";

/** What is wrong with packages as they would go to the registry: what they hold, and what publint and are-the-types-wrong say. */
export async function packageFaults(root: string, packages: readonly PackedPackage[]): Promise<string[]> {
  return (await Promise.all(packages.map((each) => faultsOf(root, each)))).flat();
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
