import type { Step } from "./plan.ts";
import { runFine } from "./run_tool.ts";

/** Under the name that users know: both lines are `perdura`. */
const tagName = ({ name, version }: Step): string => `${name}@${version}`;

/**
 * Tags the commit that was published, where there is no such tag. A version whose content is not that of the working
 * tree was published from another commit, and is left alone.
 *
 * @returns The tags that were made.
 */
export async function tagReleases(root: string, steps: readonly Step[]): Promise<string[]> {
  const there = new Set((await runFine("git", ["tag", "--list"], root)).split("\n"));
  const missing = steps.filter((step) => step.state !== "other" && !there.has(tagName(step))).map(tagName);
  for (const tag of missing) await runFine("git", ["tag", "--no-sign", tag], root);
  return missing;
}
