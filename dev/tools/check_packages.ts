/** Checks the packages in their published form, and prints their sizes. Needs `pnpm build`. */
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { packageFaults } from "./release/check_packed.ts";
import { packAll } from "./release/pack.ts";
import { temporaryFolder } from "../../test/temporary_folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const workshop = temporaryFolder();
try {
  const packages = await packAll(root, workshop);
  for (const { name, version, bytes } of packages)
    console.log(`   ${name} ${version}: ${(bytes / 1000).toFixed(1)} kB packed`);
  const faults = await packageFaults(packages);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
} finally {
  rmSync(workshop, { recursive: true, force: true });
}
