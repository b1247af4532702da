import type { Step } from "./plan.ts";
import { runFine } from "./run_tool.ts";

/** Uses the name that users know: both lines are `perdura`. */
const tagName = ({ name, version }: Step): string => `${name}@${version}`;

/**
 * Tags the published commit, unless the tag exists. A version whose content differs from the working tree was published
 * from another commit, and is not tagged.
 *
 * @returns The tags that were made.
 */
export async function tagReleases(root: string, steps: readonly Step[]): Promise<string[]> {
  const there = new Set((await runFine("git", ["tag", "--list"], root)).split("\n"));
  const missing = steps.filter((step) => step.state !== "other" && !there.has(tagName(step))).map(tagName);
  for (const tag of missing) await runFine("git", ["tag", "--no-sign", tag], root);
  return missing;
}
