/**
 * Finds phrases that readers have to guess at: in comments, messages, help, pages, and descriptions of documents.
 * `check_language.ts [FILE…]` checks these files, or all of the repository; `--count` prints the number for each
 * folder.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findings } from "./language/findings.ts";

const { values, positionals } = parseArgs({ options: { count: { type: "boolean" } }, allowPositionals: true });
const root = fileURLToPath(new URL("../../", import.meta.url));
const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...positionals], {
  cwd: root,
  encoding: "utf8",
  maxBuffer: 1e8,
});

let total = 0;
const counts = new Map<string, number>();
// A removed file stays in the index until the removal is staged.
for (const file of listed.split("\n").filter((each) => each !== "" && existsSync(`${root}${each}`))) {
  for (const { line, kind, found, instead } of findings(file, () => readFileSync(`${root}${file}`, "utf8"))) {
    total += 1;
    const folder = file.split("/").slice(0, 3).join("/");
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
    if (values.count !== true) console.log(`${file}:${line}: ${kind}: “${found}”: ${instead}`);
  }
}
if (values.count === true)
  for (const [folder, count] of [...counts].toSorted((one, other) => other[1] - one[1]))
    console.log(`${String(count).padStart(5)}  ${folder}`);
console.log(`${total} phrases to replace`);
process.exitCode = total > 0 ? 1 : 0;
