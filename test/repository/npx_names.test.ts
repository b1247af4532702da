import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Clients that fetch a program which is not installed, with options and the name of a program without our scope. */
const UNSCOPED =
  /\b(?:npx|npm exec|npm x|pnpx|pnpm dlx|yarn dlx|bunx)(?: +(?:--?[\w-]+|@perdura\/\w+|--))* +perdura\b.*/g;

const unscoped = (text: string): string[] => text.match(UNSCOPED) ?? [];

test("pages and messages run programs only under names of our scope, in which no other person can publish", () => {
  const files = execFileSync("git", ["ls-files", "*.md", "*.ts", "*.mjs", "*.js", "*.json", "*.yml"], { cwd: root })
    .toString()
    .trim()
    .split("\n");
  expect(files.length).toBeGreaterThan(500);
  const found = files
    .filter((file) => file !== "test/repository/npx_names.test.ts")
    .flatMap((file) => unscoped(readFileSync(join(root, file), "utf8")).map((line) => `${file}: ${line}`));
  expect(found).toEqual([]);
});

test("finds unscoped names after any options", () => {
  const lines = [
    "npx perdura-migrate up",
    "npx --yes --package @perdura/migrator perdura-migrate up",
    "npm exec -- perdura",
  ];
  for (const line of lines) expect(unscoped(line)).toEqual([line]);
  expect(unscoped("npx @perdura/migrator up\npnpm exec perdura-migrate")).toEqual([]);
});
