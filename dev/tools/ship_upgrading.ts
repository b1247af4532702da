import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Puts UPGRADING.md into the packages of both lines, whose errors refer to it. Pictures are removed, and links to other
 * files of the repository become text: packages do not contain them.
 */
export function shipUpgrading(root: string): void {
  const page = readFileSync(join(root, "UPGRADING.md"), "utf8")
    .replaceAll(/^!\[[^\]]*\]\([^)]*\)\n\n?/gm, "")
    .replaceAll(/\[([^\]]+)\]\((?!https?:|#)[^)]*\)/g, "$1");
  for (const line of ["v15", "v16"]) writeFileSync(join(root, "packages", line, "UPGRADING.md"), page);
}
