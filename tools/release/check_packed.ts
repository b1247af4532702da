import { readFileSync } from "node:fs";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { contentFaults } from "./check_content.ts";
import type { PackedPackage } from "./pack.ts";
import { runTool } from "./run_tool.ts";

/** What is wrong with packages as they would go to the registry: what they hold, and what publint and are-the-types-wrong say. */
export async function packageFaults(root: string, packages: readonly PackedPackage[]): Promise<string[]> {
  return (await Promise.all(packages.map((each) => faultsOf(root, each)))).flat();
}

async function faultsOf(root: string, packed: PackedPackage): Promise<string[]> {
  const asked = await Promise.all([publintFaults(packed), typeFaults(root, packed)]);
  return [...contentFaults(packed), ...asked.flat()];
}

/** Its warnings count as faults, its suggestions do not. */
async function publintFaults({ folder, tarball }: PackedPackage): Promise<string[]> {
  const { messages, pkg } = await publint({
    pack: { tarball: new Uint8Array(readFileSync(tarball)).buffer },
    strict: true,
    level: "error",
  });
  return messages.map((message) => `packages/${folder}: publint: ${formatMessage(message, pkg, { color: false })}`);
}

async function typeFaults(root: string, { folder, tarball }: PackedPackage): Promise<string[]> {
  const words = ["exec", "attw", "--profile", "esm-only", "--no-emoji", tarball];
  const { status, stdout, stderr } = await runTool("pnpm", words, root);
  return status === 0 ? [] : [`packages/${folder}: attw:\n${stdout}${stderr}`];
}
