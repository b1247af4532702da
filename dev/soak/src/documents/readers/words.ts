import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { main as backup } from "../../../../../packages/backup/src/cli/main.ts";
import { main as conformance } from "../../../../../packages/conformance/src/cli/main.ts";
import { main as migrate } from "../../../../../packages/migrator/src/cli/main.ts";
import type { Chance } from "../../../../../test/hostile/chance.ts";
import { runMain } from "../../../../../test/run_main.ts";
import { changed } from "../../../../../test/hostile/hostile_bytes.ts";
import { hostileText } from "../../../../../test/hostile/hostile_text.ts";
import { faultsOfText } from "../judge_error.ts";
import type { Bench, Try } from "../reader.ts";

/** Text that no output may repeat. */
const SECRET = "hunter2-s3cr3t";

interface Program {
  run: (words: string[]) => Promise<number>;
  commands: readonly string[];
  options: readonly string[];
  values: readonly string[];
  /** Exit codes that the help documents. */
  codes: readonly number[];
}

const COMMON = ["--json", "--quiet", "--help", "--version", "--no-color", "--", "-", "-h", "--json=1"];

/**
 * Programs with their words. No program is started, no suite is run, and no path outside the directory is named;
 * therefore without `run` and `matrix`.
 */
const PROGRAMS: Readonly<Record<string, Program>> = {
  "perdura-conformance": {
    run: conformance,
    commands: ["check-file", "report", "requirements", "explain", "cases", "constructor", "__proto__"],
    options: [...COMMON, "--line", "--as", "--format", "--output", "--by", "--uncovered"],
    values: ["16", "15", "library", "html", "area", "file.json", "."],
    codes: [0, 1, 2, 4],
  },
  "perdura-migrate": {
    run: migrate,
    commands: ["plan", "status", "verify", "states", "copy", "constructor", "__proto__", "help", "migrate"],
    options: [
      ...COMMON,
      "--states",
      "--invalid-rows",
      "--missing-level",
      "--fence",
      "--verify",
      "--extract",
      "--dry-run",
    ],
    values: ["tree", "file.json", "abort", "from-state,9", `postgres://u:${SECRET}@127.0.0.1:1/db`],
    codes: [0, 1, 2, 3, 4, 5],
  },
  "perdura-backup": {
    run: backup,
    commands: ["push", "list", "pull", "verify", "prune", "constructor", "__proto__", "help", "rm"],
    options: [
      ...COMMON,
      "--name",
      "--to",
      "--version",
      "--at",
      "--keep-last",
      "--dry-run",
      "--yes",
      "--tries",
      "--timeout",
    ],
    values: [
      "file.json",
      "1",
      "file:///nowhere/at/all",
      `s3://k:${SECRET}@bucket/x`,
      `https://u:${SECRET}@h/`,
      "agents",
    ],
    codes: [0, 1, 2, 3, 4, 5],
  },
};

/** Words on the command line of a program. */
export function wordsOf(name: string, { directory }: Bench): Try {
  mkdirSync(join(directory, "tree"), { recursive: true });
  writeFileSync(join(directory, "file.json"), '{"patterns": []}');
  const program = PROGRAMS[name] as Program;
  return { document: (chance) => judgeWords(program, wordsFor(program, chance)) };
}

function wordsFor({ commands, options, values }: Program, chance: Chance): string[] {
  const words = chance.percent(85) ? [chance.pick(commands)] : [];
  for (let count = chance.below(5); count > 0; count -= 1) {
    const kind = chance.below(4);
    const option = chance.pick(options);
    if (kind === 0) words.push(option);
    else if (kind === 1) words.push(chance.pick(values));
    else if (kind === 2) words.push(harmless(hostileText(chance)));
    else
      words.push(
        chance.percent(50)
          ? `${option}=${harmless(hostileText(chance))}`
          : harmless(changed(Buffer.from(option), chance).toString()),
      );
  }
  return words;
}

/** Keeps a word inside the directory: a command line is trusted, and these programs would write where it says. */
function harmless(word: string): string {
  // A NUL ends an argument of a command line.
  return withoutParents(word.replaceAll("\0", ""));
}

function withoutParents(word: string): string {
  return word.startsWith("/") || word.includes("..") ? word.replaceAll("..", "_").replace(/^\/+/, "") : word;
}

/** Runs a program in this process. Its exit code must be documented, and its text must not control a terminal. */
async function judgeWords({ run, codes }: Pick<Program, "run" | "codes">, words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runMain(run, words);
  const text = stdout + stderr;
  const shown = JSON.stringify(words).slice(0, 200);
  const faults = faultsOfText(text.replaceAll("\t", " "), `the output for ${shown}`);
  if (!codes.includes(code)) faults.push(`${shown}: unexpected exit code ${code}`);
  if (/\n {4}at |TypeError|RangeError|\[native code\]|\[object /.test(text))
    faults.push(`${shown}: ${text.slice(0, 600)}`);
  if (text.includes(SECRET)) faults.push(`${shown}: the secret appears in the output: ${text.slice(0, 300)}`);
  if (code !== 0 && text.length > 20_000 + words.join("").length * 4)
    faults.push(`${shown}: ${text.length} characters of output`);
  return faults;
}
