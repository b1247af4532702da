import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { staleResults } from "../measurements/stale_results.ts";
import { runFine, runTool } from "./run_tool.ts";

/** Reasons why the working tree cannot be released, a sentence each. */
export async function obstacles(root: string): Promise<string[]> {
  const found: string[] = [];
  const lines = await runTool(process.execPath, ["--no-warnings", join(root, "dev", "tools", "check_lines.ts")], root);
  if (lines.status !== 0) found.push(lines.stderr.trim());
  const changesets = pendingChangesets(root);
  if (changesets.length > 0)
    found.push(`changesets have no version yet (${changesets.join(", ")}): run pnpm changeset version, then commit`);
  found.push(...(await staleResults(root)));
  const changed = (await runFine("git", ["status", "--porcelain"], root)).trimEnd();
  if (changed !== "") found.push(`the working tree has uncommitted changes:\n${changed}`);
  return found;
}

function pendingChangesets(root: string): string[] {
  const folder = join(root, ".changeset");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name.endsWith(".md") && name !== "README.md");
}
