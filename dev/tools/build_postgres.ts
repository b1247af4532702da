import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildInto } from "./tsdown.ts";

const MANIFEST = new URL("../../packages/postgres/package.json", import.meta.url);

/** Builds @perdura/postgres in its published form, where a built program finds it before that of the workspace. */
export function buildPostgresBeside(program: string): void {
  const place = join(dirname(program), "node_modules", "@perdura", "postgres");
  buildInto("postgres", join(place, "dist"));
  const { publishConfig, ...manifest } = JSON.parse(readFileSync(MANIFEST, "utf8")) as { publishConfig: object };
  writeFileSync(join(place, "package.json"), JSON.stringify({ ...manifest, ...publishConfig }, null, 2));
}
