import { existsSync, readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
}).split("\n");

test("every link of a page to a file of the repository leads somewhere", () => {
  for (const page of tracked.filter((file) => file.endsWith(".md") && existsSync(join(root, file)))) {
    for (const [, target] of readFileSync(join(root, page), "utf8").matchAll(
      /\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g,
    )) {
      expect(existsSync(join(root, dirname(page), target as string)), `${page}: ${target}`).toBe(true);
    }
  }
});
