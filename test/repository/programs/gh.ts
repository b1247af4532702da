import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/**
 * Imitates the commands of GitHub's client that a release uses, with releases in the folder `FAKE_GITHUB`. An upload
 * fails halfway while the file `interrupted` exists there.
 */
const [, command, tag = "", ...words] = process.argv.slice(2);
const github = process.env["FAKE_GITHUB"] as string;
const release = join(github, encodeURIComponent(tag));
const state = join(release, "draft");
const fail = (reason: string): never => {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
};

if (command !== "create" && !existsSync(state)) fail("release not found");
if (command === "view") process.stdout.write(readFileSync(state));
if (command === "create") {
  if (existsSync(state) || !words.includes("--draft")) fail("a release is there, or is not a draft");
  mkdirSync(release);
  writeFileSync(state, "true\n");
}
if (command === "upload") {
  if (readFileSync(state, "utf8") !== "true\n") fail("a published release is not changed");
  for (const [index, file] of words.filter((word) => !word.startsWith("--")).entries()) {
    if (index === 2 && existsSync(join(github, "interrupted"))) fail("connection lost");
    copyFileSync(file, join(release, basename(file)));
  }
}
if (command === "edit" && words.includes("--draft=false")) writeFileSync(state, "false\n");
