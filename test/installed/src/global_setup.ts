import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startNpmRegistry } from "@perdura/test-servers/npm/registry.js";
import type { TestProject } from "vitest/node";
import { packAll } from "../../../dev/tools/release/pack.ts";
import { Registry } from "../../../dev/tools/release/registry.ts";
import "./provided_context.ts";
import { temporaryFolder } from "../../temporary_folder.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Publishes all packages built by `pnpm build` to a registry on this machine.
 *
 * @returns A function that stops the registry.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const workshop = temporaryFolder();
  const server = await startNpmRegistry();
  const registry = new Registry(root, server.url);
  const packed = await packAll(root, workshop);
  for (const each of packed) {
    const { problem } = await registry.publish(each, false);
    if (problem !== undefined) throw new Error(`${each.name} ${each.version} was not published: ${problem}`);
  }
  project.provide("npmRegistry", { url: server.url, cache: join(workshop, "cache") });
  return async () => {
    await server.stop();
    rmSync(workshop, { recursive: true, force: true });
  };
}
