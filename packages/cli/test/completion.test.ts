import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { TABLE as BACKUP } from "../../backup/src/cli/table.ts";
import { TABLE as CONFORMANCE } from "../../conformance/src/cli/table.ts";
import { TABLE as MIGRATOR } from "../../migrator/src/cli/table.ts";
import { completionScript } from "../src/completion.ts";
import { type ProgramTable, type Shell, SHELLS } from "../src/program_table.ts";
import { hasTerminals, type Keys, seenInTerminal } from "../../../test/in_terminal.ts";
import { GROUPED, SAMPLE } from "./sample_program.ts";
import { needs } from "../../../test/needs.ts";

const isThere = (shell: Shell): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

const PROMPT = "ready> ";
const TAB = "\t";
const ENTER = "\r";
/** Clears the typed line. */
const CTRL_U = "\u0015";

/** Each shell without user settings, with a line that is typed before the script is loaded. */
const INTERACTIVE: Record<Shell, { words: string[]; first: string }> = {
  bash: { words: ["bash", "--norc", "--noprofile", "-i"], first: "bind 'set show-all-if-ambiguous on'" },
  zsh: { words: ["zsh", "-f", "-i"], first: "autoload -Uz compinit; compinit -u -D" },
  fish: {
    words: ["fish", "--no-config", "--private", "-i", "-C", `function fish_prompt; printf '${PROMPT}'; end`],
    first: "set fish_greeting",
  },
};

/** A line that is typed up to its Tab, with the words that the program receives, or the offered completions. */
interface Line {
  typed: string;
  gets?: readonly string[];
  offers?: readonly string[];
}

/** Presses the keys in a shell that has loaded the completions as in their first line; returns the output. */
async function pressed(shell: Shell, tables: readonly ProgramTable<string, string>[], lines: readonly Line[]) {
  const folder = freshFolder();
  writeFileSync(join(folder, "a-file"), "");
  mkdirSync(join(folder, "bin"));
  const loading = tables.map((table) => {
    const program = join(folder, "bin", table.name);
    const script = completionScript(table, shell);
    writeFileSync(`${program}.${shell}`, script);
    // Prints its script at the first request for it; afterwards its arguments.
    writeFileSync(
      program,
      `#!/bin/sh\nif [ ! -e "$0.loaded" ]; then touch "$0.loaded"; cat "$0.$2"; else printf 'got'; printf '<%s>' "$@"; echo; fi\n`,
    );
    chmodSync(program, 0o755);
    return /^# Load it.* with: (.*)$/m.exec(script)?.[1] as string;
  });
  const { words, first } = INTERACTIVE[shell];
  const prompt = new RegExp(PROMPT);
  const answered = new RegExp(`got<[^]*${PROMPT}`);
  const typed: Keys[] = [`${first}; cd`, ...loading].map((line) => ({ after: prompt, keys: `${line}${ENTER}` }));
  let [after, before] = [prompt, ""];
  for (const { typed: text, offers } of lines) {
    typed.push({ after, keys: `${before}${text}${TAB}${offers === undefined ? ENTER : ""}` });
    [after, before] = offers === undefined ? [answered, ""] : [allOf(offers), CTRL_U];
  }
  typed.push({ after, keys: `${before}exit${ENTER}` });
  const { bytes } = await seenInTerminal(words, {
    columns: 100,
    typed,
    environment: {
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CACHE_HOME: folder,
      PATH: `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`,
      PS1: PROMPT,
      INPUTRC: "/dev/null",
    },
  });
  return [...bytes.matchAll(/got((?:<[^>\r\n]*>)+)\r?\n/g)].map(([, given]) => given);
}

/** Matches a text that has all words, in any order. */
function allOf(words: readonly string[]): RegExp {
  return new RegExp(words.map((word) => `(?=[^]*(?<![\\w-])${word}(?![\\w-]))`).join(""));
}

const given = (lines: readonly Line[]): string[] =>
  lines.flatMap(({ gets }) => (gets === undefined ? [] : [gets.map((word) => `<${word}>`).join("")]));

describe.each(SHELLS)("Tab in %s", (shell) => {
  const options = hasTerminals ? needs(shell, !isThere(shell)) : needs("terminal", true);

  test("completes commands, shells, options of the command and their values, and files", options, async () => {
    const lines: Line[] = [
      { typed: "perdura-sample co", offers: ["completion", "copy"] },
      { typed: "perdura-sample sh", gets: ["show"] },
      { typed: "perdura-sample completion z", gets: ["completion", "zsh"] },
      { typed: "perdura-sample help sh", gets: ["help", "show"] },
      { typed: "perdura-sample show --w", gets: ["show", "--way"] },
      { typed: "perdura-sample copy --t", offers: ["--tag", "--to"] },
      { typed: "perdura-sample copy --way s", gets: ["copy", "--way", "slow"] },
      { typed: "perdura-sample copy a-f", gets: ["copy", "a-file"] },
      { typed: "perdura-sample copy --ol", gets: ["copy", "--ol"] },
      { typed: "perdura-migrate p", offers: ["plan", "prune"] },
      { typed: "perdura-migrate up --fence t", gets: ["up", "--fence", "tombstone"] },
      { typed: "perdura-backup prune --keep-w", gets: ["prune", "--keep-weekly"] },
      { typed: "perdura-conformance mat", gets: ["matrix"] },
      { typed: "perdura-grouped thi", gets: ["things"] },
      { typed: "perdura-grouped things sh", gets: ["things", "show"] },
      { typed: "perdura-grouped things list --li", gets: ["things", "list", "--limit"] },
      { typed: "perdura-grouped a-f", gets: ["a-file"] },
      { typed: "perdura-grouped --li", gets: ["--limit"] },
    ];
    const tables = [SAMPLE.table, BACKUP, CONFORMANCE, MIGRATOR, GROUPED] as unknown as ProgramTable<string, string>[];
    expect(await pressed(shell, tables, lines)).toEqual(given(lines));
  });
});
