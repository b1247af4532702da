import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { completionScript } from "../src/completion.ts";
import { type Shell, SHELLS } from "../src/program_table.ts";
import { SAMPLE } from "./sample_program.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";

const isThere = (shell: Shell): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

/** Completions that a shell really offers for a command line whose last word is being typed. */
function offered(shell: Shell, line: string): string[] {
  const folder = freshFolder();
  const script = join(folder, "script");
  writeFileSync(script, completionScript(SAMPLE.table, shell));
  writeFileSync(join(folder, "a-file"), "");
  const { status, stdout, stderr } = spawnSync(shell, ASKING[shell](script, line), {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, XDG_CACHE_HOME: folder },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout
    .split("\n")
    .map((each) => each.split("\t")[0] as string)
    .filter((each) => each !== "")
    .toSorted();
}

const ASKING: Record<Shell, (script: string, line: string) => string[]> = {
  bash: (script, line) => [
    "--norc",
    "-c",
    `source ${script}; COMP_WORDS=(${line.replace(/ $/, ' ""')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
     eval "$(complete -p perdura-sample | sed 's/.*-F \\([^ ]*\\) .*/\\1/')"; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  fish: (script, line) => ["--no-config", "-c", `source ${script}; complete -C '${line}'`],
  // What adds completions exists only while a line is edited: it prints those that begin with the last word.
  zsh: (script, line) => [
    "-f",
    "-c",
    `compdef() { called=$1 }; _files() { compadd -- a-file }
     compadd() { shift; for each in "$@"; do [[ $each == $words[CURRENT]* ]] && print -r -- $each; done; return 0 }
     source ${script}; words=(${line}); CURRENT=$#words; $called`,
  ],
};

describe.each(SHELLS)("in %s", (shell) => {
  // REQUIRE_SHELLS=1 makes a missing shell a failure.
  const skip = !isThere(shell) && (process.env["REQUIRE_SHELLS"] ?? "") === "";

  test.skipIf(skip)("commands, shells, options of the command and their values are completed", () => {
    expect(offered(shell, "perdura-sample co")).toEqual(["completion", "copy"]);
    expect(offered(shell, "perdura-sample completion z")).toEqual(["zsh"]);
    expect(offered(shell, "perdura-sample help sh")).toEqual(["show"]);
    expect(offered(shell, "perdura-sample show --w")).toEqual(["--way"]);
    expect(offered(shell, "perdura-sample copy --t")).toEqual(["--tag", "--to"]);
    expect(offered(shell, "perdura-sample copy --way s")).toEqual(["slow"]);
    expect(offered(shell, "perdura-sample copy --ol")).toEqual([]);
  });
});
