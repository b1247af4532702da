// Builds the published packages, lines first: the others are bundled against them.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { shipUpgrading } from "./ship_upgrading.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const tsdown = join(root, "node_modules", "tsdown", "dist", "run.mjs");

for (const name of ["v15", "v16", "conformance", "migrator", "backup", "postgres", "inspect", "mcp", "otel"]) {
  const cwd = join(root, "packages", name);
  if (!existsSync(join(cwd, "tsdown.config.ts"))) throw new Error(`packages/${name} has no tsdown.config.ts`);
  const { status } = spawnSync(process.execPath, [tsdown, "--logLevel", "warn"], { cwd, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
shipUpgrading(root);
