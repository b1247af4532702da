/** Checks the subjects of commits: `area: imperative subject`, at most 72 characters. See CONTRIBUTING.md. */
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseLog, subjectFaults } from "./commits/subject_faults.ts";

/** The newest commit from before this check existed. */
const START = "432019eca08c52a769f548a510345f5a0ce2049a";

const cwd = fileURLToPath(new URL("../../", import.meta.url));
/** A shallow clone may lack the start; the commits that it has are newer. */
const hasStart = spawnSync("git", ["merge-base", "--is-ancestor", START, "HEAD"], { cwd }).status === 0;
const range = hasStart ? [`${START}..HEAD`] : isShallow() ? ["HEAD"] : [];
if (range.length === 0) {
  console.log(`The commit ${START} is not in the history of HEAD: no subjects were checked.`);
  process.exit(1);
}
const log = execFileSync("git", ["log", "--format=%h%x00%p%x00%s", ...range], {
  cwd,
  encoding: "utf8",
  maxBuffer: 1e8,
});
const commits = parseLog(log);
for (const commit of commits)
  for (const fault of subjectFaults(commit)) {
    console.log(`${commit.hash} ${commit.subject}\n  ${fault}`);
    process.exitCode = 1;
  }
console.log(`${commits.length} subjects of commits checked`);

function isShallow(): boolean {
  const { stdout } = spawnSync("git", ["rev-parse", "--is-shallow-repository"], { cwd, encoding: "utf8" });
  return stdout.trim() === "true";
}
