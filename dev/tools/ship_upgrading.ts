import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Puts UPGRADING.md into the packages of both lines, whose errors send readers there. Pictures are left out, and what
 * leads to other files of the repository becomes text: none of it is in a package.
 */
export function shipUpgrading(root: string): void {
  const page = readFileSync(join(root, "UPGRADING.md"), "utf8")
    .replaceAll(/^!\[[^\]]*\]\([^)]*\)\n\n?/gm, "")
    .replaceAll(/\[([^\]]+)\]\((?!https?:|#)[^)]*\)/g, "$1");
  for (const line of ["v15", "v16"]) writeFileSync(join(root, "packages", line, "UPGRADING.md"), page);
}
