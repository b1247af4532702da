import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildInto } from "./tsdown.ts";

const PACKAGE = fileURLToPath(new URL("../packages/migrator/", import.meta.url));

/**
 * Builds perdura-migrate as it is published: that starts three times faster than its sources, and takes less memory. Into
 * a place of its own, so that whoever builds the packages meanwhile does not pull it away; `remove` when it is not needed
 * any more.
 */
export function buildMigrator(): { program: string; remove: () => void } {
  // Below the package, where its dependencies are found.
  const place = join("node_modules", ".cache", `perdura-migrate-${process.pid}`);
  buildInto("migrator", place);
  return {
    program: join(PACKAGE, place, "cli.js"),
    remove: () => rmSync(join(PACKAGE, place), { recursive: true, force: true }),
  };
}
