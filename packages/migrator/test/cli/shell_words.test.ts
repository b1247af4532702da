import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { commandLine, shellWord } from "../../src/core/shell_words.ts";
import { ON_POSIX } from "../../../../test/needs.ts";

const WORDS = [
  "plain/path.db",
  "two words",
  "it's",
  '"quoted"',
  "$HOME `id` $(id) !x",
  "a\nb\u001b[2J",
  "ü漢",
  "-x",
  "",
];

test("a shell parses a pasted command into the original words", ON_POSIX, () => {
  const line = commandLine("up", ["--fence", "none"], WORDS);
  expect(line).not.toMatch(/[\u0000-\u001f]/);
  const { stdout } = spawnSync("bash", ["-c", `perdura-migrate() { printf '%s\\0' "$@"; }; ${line}`], {
    encoding: "utf8",
  });
  expect(stdout.split("\0").slice(0, -1)).toEqual(["up", "--fence", "none", "--", ...WORDS]);
});

test("quotes words for Windows", () => {
  expect(shellWord("two words", "win32")).toBe('"two words"');
});
