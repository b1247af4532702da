import { runFine, runTool } from "../release/run_tool.ts";
import { keptResults } from "./kept_results.ts";

/** Commits after which a result says too little about the sources. */
const MOST_COMMITS = 100;

/** The stored results that are not of the last hundred commits, a sentence each with the command that renews it. */
export async function staleResults(root: string): Promise<string[]> {
  const found: string[] = [];
  for (const { file, command, report } of keptResults(root)) {
    const fault = await faultOf(root, file, report.made.commit);
    if (fault !== undefined)
      found.push(`${file} ${fault}: run ${command}, then pnpm generate and pnpm format, and commit`);
  }
  return found;
}

async function faultOf(root: string, file: string, commit: string | null): Promise<string | undefined> {
  if (commit === null || commit.endsWith("-dirty")) return "was not measured on a commit";
  const commits = (await commitsSince(root, commit)) ?? (await commitsSince(root, await lastCommitOf(root, file)));
  if (commits === undefined) return "is not committed";
  return commits > MOST_COMMITS ? `was measured ${commits} commits ago` : undefined;
}

/** Undefined for a commit that is not in the history, for example because it was rebased. */
async function commitsSince(root: string, commit: string): Promise<number | undefined> {
  const counted = await runTool("git", ["rev-list", "--count", `${commit}..HEAD`], root);
  return counted.status === 0 ? Number(counted.stdout) : undefined;
}

const lastCommitOf = async (root: string, file: string): Promise<string> =>
  (await runFine("git", ["log", "-1", "--format=%H", "--", file], root)).trim();
