import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { job } from "./job.ts";

const FORGETFUL = fileURLToPath(new URL("programs/forgetful_adapter.mjs", import.meta.url));
const NODE = JSON.stringify(process.execPath);
const { workspace, folder, judge } = job();

/** Characters with a meaning for a shell; an interpreted command would create a file. */
const HOSTILE = `it's "odd" $(touch pwned) \`touch pwned\`; touch pwned & \${IFS} | é\ntouch pwned`;
const quoted = (word: string): string => `'${word.replaceAll("'", `'"'"'`)}'`;

afterEach(() => {
  const names = readdirSync(workspace, { recursive: true, encoding: "utf8" });
  expect(names.filter((name) => basename(name) === "pwned")).toEqual([]);
});

test("the adapter receives its arguments unchanged", () => {
  const words = join(workspace, "words.json");
  process.env["WORDS_FILE"] = words;
  onTestFinished(() => {
    delete process.env["WORDS_FILE"];
  });
  const { outputs } = judge({ adapter: `${NODE} ${FORGETFUL} ${quoted(HOSTILE)} --line=15 "a b"`, profile: "json" });
  expect(outputs["verdict"]).toBe("not-conformant");
  expect(JSON.parse(readFileSync(words, "utf8"))).toEqual([HOSTILE, "--line=15", "a b"]);
});

test("accepts any names of folders and files", () => {
  // A file name has no slash; characters that Windows refuses are not tested here.
  const place = folder(HOSTILE);
  copyFileSync(FORGETFUL, join(place, "adapter.mjs"));
  writeFileSync(
    join(place, `${HOSTILE}.json`),
    '{ "name": "mine", "description": "Only what must hold.", "areas": ["patterns-json"], "levels": ["must"] }',
  );
  const { outputs, summary } = judge({
    adapter: `${NODE} adapter.mjs`,
    "working-directory": HOSTILE,
    profile: `${HOSTILE}.json`,
    "reports-directory": `reports ${HOSTILE}`,
  });
  expect(outputs["verdict"]).toBe("not-conformant");
  expect(outputs["html"]).toBe(join(place, `reports ${HOSTILE}`, "report.html"));
  expect(existsSync(outputs["html"] as string)).toBe(true);
  expect(summary).toContain("profile mine");
});

test.each([
  ["line", "--line"],
  ["profile", "--profile"],
  ["expected-failures", "--expected-failures"],
  ["workers", "--workers"],
  ["seed", "--seed"],
  ["timeout", "--timeout"],
  ["working-directory", "working-directory: the folder"],
  ["reports", "reports: "],
  ["version", "version: expected a version"],
])("refuses an invalid %s without running anything", (name, said) => {
  const { status, log, outputs } = judge({ adapter: `${NODE} ${FORGETFUL}`, [name]: `no ${HOSTILE}` });
  expect(log).toContain(said);
  expect(status).toBe(2);
  expect(outputs).toMatchObject({ verdict: "not-judged", "exit-code": "2", passed: "" });
});

test("does not treat a version as an option of npm", () => {
  const { status, log } = judge({ adapter: "x", version: "--global" });
  expect(status).toBe(1);
  expect(log).toContain("npm could not install @perdura/conformance@--global");
});

test("names a tarball that does not exist", () => {
  const { status, log } = judge({ adapter: "x", version: "no such.tgz" });
  expect(status).toBe(2);
  expect(log).toContain(`::error::version: the tarball ${join(workspace, "no such.tgz")} does not exist.`);
});
