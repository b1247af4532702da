import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { untilGone } from "../../../../test/servers/src/processes/process_tree.ts";
import { programWords } from "../../../../test/programs.ts";
import { readReport } from "../../src/report/read_report.ts";

const PROGRAM = programWords(new URL("../../src/cli.ts", import.meta.url));
const ADAPTER = fileURLToPath(new URL("../faulty_adapter.mjs", import.meta.url));
/** A case that the adapter passes, one in which it hangs, and one after it. */
const CASES = ["patterns-json/file-name", "patterns-json/load-missing-file", "patterns-json/load-not-a-library"];

/** Starts a run whose adapter hangs in the second case, and waits for that case. */
async function hanging() {
  const folder = freshFolder();
  const at = (name: string): string => join(folder, name);
  const marker = at("hangs");
  const adapter = [process.execPath, ADAPTER, "hang", "16.0.0", marker].map((word) => JSON.stringify(word)).join(" ");
  const files = ["--report", at("report.ndjson"), "--html", at("report.html"), "--junit", at("junit.xml")];
  const chosen = CASES.flatMap((id) => ["--case", id]);
  const words = [...PROGRAM, "run", "--adapter", adapter, "--timeout", "3600", ...chosen, ...files];
  const watcher = watch(folder);
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit");
  const output = [text(child.stdout), text(child.stderr)] as const;
  while (!existsSync(marker)) await once(watcher, "change");
  watcher.close();
  return { child, ended, output, at, marker };
}

test("Ctrl-C ends the running case and writes every report of what ran", async () => {
  const { child, ended, output, at, marker } = await hanging();
  child.kill("SIGINT");
  expect(await ended).toEqual([130, null]);
  const [stdout, stderr] = await Promise.all(output);
  expect(stderr).toBe("");
  expect(stdout).toContain("the run was interrupted: 2 cases were not run");
  const records = readReport(at("report.ndjson"));
  const cases = records.filter((record) => record.record === "case" && CASES.includes(record.id));
  expect(cases).toMatchObject([
    { verdict: "pass" },
    { verdict: "not-run", reason: "interrupted" },
    { verdict: "not-run", reason: "interrupted" },
  ]);
  expect(records.at(-2)).toMatchObject({ record: "end", exit_code: 130, conformant: false });
  expect(readFileSync(at("report.html"), "utf8")).toContain("not fully judged");
  expect(readFileSync(at("junit.xml"), "utf8")).toContain("not-run: interrupted");
  await untilGone([Number(readFileSync(marker, "utf8"))]);
});
