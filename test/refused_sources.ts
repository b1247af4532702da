import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { freshFolder } from "./fresh_folder.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Returns those of the source files, given by their paths in this repository, that a rule of its linter refuses. */
export function refusedSources(sources: Readonly<Record<string, string>>, rule: string): string[] {
  return lintSources(sources)(rule);
}

/** Runs the linter once; the result tells the refused files for each rule. */
export function lintSources(sources: Readonly<Record<string, string>>): (rule: string) => string[] {
  const folder = freshFolder();
  for (const path of [".oxlintrc.json", "dev/tools/lint"])
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  for (const [path, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${text}\n`);
  }
  const program = join(ROOT, "node_modules/.bin/oxlint");
  const { stdout } = spawnSync(program, ["--deny-warnings", "--format=unix", "."], { cwd: folder, encoding: "utf8" });
  const lines = stdout.split("\n");
  return (rule) =>
    Object.keys(sources).filter((path) => lines.some((line) => line.includes(`${path}:`) && line.includes(rule)));
}
