import { existsSync, globSync, readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { githubAnchors } from "./github_anchors.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
}).split("\n");
const pages = tracked.filter((file) => file.endsWith(".md") && existsSync(join(root, file)));
const read = (page: string): string => readFileSync(join(root, page), "utf8");

test("every link of a page to a file of the repository has a target", () => {
  for (const page of pages) {
    for (const [, target, anchor] of read(page).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#([^)]*))?\)/g)) {
      const file = join(dirname(page), target as string);
      expect(existsSync(join(root, file)), `${page}: ${target}`).toBe(true);
      if (anchor !== undefined) expect([...githubAnchors(read(file))], `${page}: ${target}`).toContain(anchor);
    }
  }
});

test("every link within a page has a target", () => {
  for (const page of pages) {
    const text = read(page);
    for (const [, anchor] of text.matchAll(/\]\(#([^)]+)\)/g)) expect([...githubAnchors(text)], page).toContain(anchor);
  }
});

test("every path named in CONTRIBUTING.md and test/README.md exists", () => {
  const folders = new Set(tracked.filter((file) => file.includes("/")).map((file) => file.split("/")[0]));
  const missing = (page: string): string[] =>
    [...read(page).matchAll(/`([\w@.*-]+(?:\/[\w@.*-]+)+)`/g)]
      .map(([, path]) => path as string)
      .filter(
        (path) =>
          folders.has(path.split("/")[0] as string) && !["dist", "node_modules"].some((made) => path.includes(made)),
      )
      .filter((path) => globSync(path, { cwd: root }).length === 0);
  expect(missing("CONTRIBUTING.md")).toEqual([]);
  expect(missing("test/README.md")).toEqual([]);
});

test("githubAnchors generates the same anchors as GitHub", () => {
  const page = [
    "# What `hello` answers, and when?",
    "## _16+_: what's *new* in [the line](x.md)",
    "## snake_case & `list_users()`",
    "```sh",
    "# no heading",
    "```",
    "## Usage",
    "## Usage",
    '<a id="by-hand"></a>',
    "## Über 1.5 Mio. Zeilen – schnell",
  ].join("\n");
  expect([...githubAnchors(page)]).toEqual([
    "by-hand",
    "what-hello-answers-and-when",
    "16-whats-new-in-the-line",
    "snake_case--list_users",
    "usage",
    "usage-1",
    "über-15-mio-zeilen--schnell",
  ]);
});
