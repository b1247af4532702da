import { readFileSync } from "node:fs";
import { checkPackage, createPackageFromTarballData, type ResolutionKind } from "@arethetypeswrong/core";
import { problemKindInfo } from "@arethetypeswrong/core/problems";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { contentFaults } from "./check_content.ts";
import type { PackedPackage } from "./pack.ts";

/** Faults in packages as published: their content, and the reports of publint and are-the-types-wrong. */
export async function packageFaults(packages: readonly PackedPackage[]): Promise<string[]> {
  return (await Promise.all(packages.map(faultsOf))).flat();
}

async function faultsOf(packed: PackedPackage): Promise<string[]> {
  const asked = await Promise.all([publintFaults(packed), typeFaults(packed)]);
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

/** CommonJS imports and resolution from before Node.js 12.7 get no types: the packages are ES modules only. */
const IGNORED_RESOLUTIONS: readonly ResolutionKind[] = ["node10", "node16-cjs"];

async function typeFaults({ folder, tarball }: PackedPackage): Promise<string[]> {
  const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  if (result.types === false) return [`packages/${folder}: are-the-types-wrong: it has no types`];
  return result.problems
    .filter((problem) => !("resolutionKind" in problem && IGNORED_RESOLUTIONS.includes(problem.resolutionKind)))
    .map(
      (problem) =>
        `packages/${folder}: are-the-types-wrong: ${problemKindInfo[problem.kind].title}: ${JSON.stringify(problem)}`,
    );
}
