import { join } from "node:path";
import { expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { runProgram } from "./run_program.ts";

test.each<[words: string[], message: string]>([
  [["mysql://alice:hunter2@db/agents"], "got an address that is not accepted here; it is not shown"],
  [["metrics", "show", "postgresql//alice:hunter2@db"], "got an address that is not accepted here"],
  [["metrics"], "metrics needs a command: show, users, user, trend, breakdown or export."],
  [
    ["patterns", "remove", "x"],
    'Unknown command "patterns remove"; expected list, show, export or import after patterns.',
  ],
  [["diff", "a", "b"], 'Unknown command "diff". Did you mean compare?'],
  [["compare", "a"], "compare needs AFTER: another one."],
  [["metrics", "trend", "x", "--since", "yesterday"], "--since: expected a day such as 2026-11-22, or a time in UTC"],
  [["patterns", "list", "x", "--min-confidence", "2"], "--min-confidence: expected a number from 0 to 1"],
  [
    ["watch", "x", "--html", "y"],
    "--html does not apply to watch. It applies to perdura-inspect, metrics user and compare.",
  ],
  [["--limit", "0", "x"], "--limit: expected a whole number of at least 1"],
])("%j: exit code 2 and a message", async (words, message) => {
  const { code, stdout, stderr } = await runProgram(words);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(`perdura-inspect: ${message}`);
  expect(stderr).not.toContain("hunter2");
});

test("a page is not written if its directory is missing", async () => {
  const { code, stderr } = await runProgram([freshFolder(), "--html", join(freshFolder(), "absent", "page.html")]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^perdura-inspect: --html: /);
});
