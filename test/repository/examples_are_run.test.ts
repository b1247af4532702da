import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { examplesOfPage, examplesOfSources } from "./run_example.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => existsSync(join(root, file)));
const tests = tracked.filter((file) => file.endsWith(".test.ts")).map((file) => readFileSync(join(root, file), "utf8"));

const LANGUAGES = ["ts", "js", "python"] as const;

// The guides have their own test, which covers their whole folder.
test.for(tracked.filter((file) => file.endsWith(".md") && !file.startsWith("docs/guides/")))(
  "a test runs the examples of %s",
  (page) => {
    for (const language of LANGUAGES) {
      if (examplesOfPage(page, language).length === 0) continue;
      const run = tests.some((text) => takesExamples(text, page, language));
      expect(run, `${page}: ${language}`).toBe(true);
    }
  },
);

test.for(["internals", "v15", "v16", "conformance", "migrator", "postgres", "backup", "inspect", "mcp", "otel"])(
  "a test runs the examples in the sources of packages/%s",
  (folder) => {
    expect(examplesOfSources(`packages/${folder}/src`).length).toBeGreaterThan(0);
    expect(tests.some((text) => text.includes(`examplesOfSources("packages/${folder}/src")`))).toBe(true);
  },
);

/** True if a test runs the examples of a page: it names the page, by its path or in a list of names. */
function takesExamples(text: string, page: string, language: (typeof LANGUAGES)[number]): boolean {
  const named = text.includes(`"${page}"`) || text.includes(`"${basename(page, ".md")}"`);
  return text.includes("examplesOfPage(") && named && (language === "ts" || text.includes(`"${language}"`));
}
