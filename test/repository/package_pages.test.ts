import { existsSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const PACKAGES = fileURLToPath(new URL("../../packages/", import.meta.url));

/** The README of a package is its page on npmjs.com, where only published files of the repository exist. */
test.for(["v15", "v16", "conformance", "migrator", "postgres", "backup", "inspect", "mcp", "otel"])(
  "the README of packages/%s is complete without the repository",
  (folder) => {
    const { files } = JSON.parse(readFileSync(join(PACKAGES, folder, "package.json"), "utf8")) as { files: string[] };
    const page = readFileSync(join(PACKAGES, folder, "README.md"), "utf8");
    const [beginning = ""] = page.split("\n## ");
    expect(beginning).toMatch(/^npm install /m);
    expect(page).toMatch(/Node\.js 22\.14 or newer/);
    expect(page).toMatch(/^MIT licence\.$/m);
    for (const [, target = ""] of page.matchAll(/\]\((?!https:\/\/www\.npmjs\.com\/package\/|#)([^)#\s]+)[^)]*\)/g)) {
      const path = normalize(target);
      const isPublished = files.some((each) => path === each || path.startsWith(`${each}/`));
      expect(isPublished && existsSync(join(PACKAGES, folder, path)), `${target} is not in the package`).toBe(true);
    }
  },
);
