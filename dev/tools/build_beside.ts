import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildInto } from "./tsdown.ts";

/** Builds a package in its published form, where a built program finds it before that of the workspace. */
export function buildBeside(program: string, folder: "migrator" | "postgres"): void {
  const place = join(dirname(program), "node_modules", "@perdura", folder);
  buildInto(folder, join(place, "dist"));
  const file = new URL(`../../packages/${folder}/package.json`, import.meta.url);
  const { publishConfig, ...manifest } = JSON.parse(readFileSync(file, "utf8")) as { publishConfig: object };
  writeFileSync(join(place, "package.json"), JSON.stringify({ ...manifest, ...publishConfig }, null, 2));
}
