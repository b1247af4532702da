import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fixture } from "../../../../fixtures/paths.ts";
import { hasTerminals, seenInTerminal } from "../../../../test/in_terminal.ts";
import { type Round, shareOf } from "../soak.ts";
import { STEERING } from "../../../../test/hostile/steering.ts";
import { PAYLOADS } from "../../../../test/hostile/payloads.ts";
import { commandOf, faultsOfEnding, runToEnd } from "./run_cli.ts";

const NAMES = PAYLOADS.filter((name) => !name.includes("\0")).map((name) => name.replaceAll("/", "|").slice(0, 60));

const PROGRAMS: Record<string, (directory: string, store: string, name: string) => string[]> = {
  "perdura-migrate plan": (directory) => ["migrator", "plan", directory],
  "perdura-migrate up": (directory) => ["migrator", "up", "--yes", directory],
  "perdura-migrate plan --json": (directory) => ["migrator", "plan", "--json", directory],
  "perdura-migrate status": (directory) => ["migrator", "status", directory],
  "perdura-migrate verify": (directory) => ["migrator", "verify", directory],
  "perdura-backup list": (_directory, store) => ["backup", "list", pathToFileURL(store).href],
  "perdura-conformance check-file": (directory, _store, name) => [
    "conformance",
    "check-file",
    join(directory, `${name}.db`),
  ],
};

/** Runs the programs on files with hostile names, without a terminal and in one. */
export async function listHostileNames(round: Round): Promise<void> {
  const row = "names on disk";
  if (!round.wants(row)) return;
  for (const [number, name] of NAMES.slice(0, shareOf(NAMES.length, round)).entries()) {
    if (round.isOver()) return;
    const place = join(round.place, `names ${number}`);
    const [directory, store] = [join(place, "data", name), join(place, "store")];
    for (const folder of [join(directory, "empathy_state"), join(store, "agents", name)])
      mkdirSync(folder, { recursive: true });
    copyFileSync(fixture("legacy", "field-a.db"), join(directory, `${name}.db`));
    writeFileSync(join(directory, "empathy_state", `${name}.json`), JSON.stringify({ user_id: name, trust_level: 2 }));
    writeFileSync(join(store, "agents", `${name}.json`), name);
    const wrong: string[] = [];
    // Each name is given to three programs, every other name in a terminal.
    const programs = Object.entries(PROGRAMS).filter((_, index) => (index + number) % 7 < 3);
    for (const [what, wordsFor] of programs)
      wrong.push(...judgeOutput(wordsFor(directory, store, name)).map((fault) => `${what}: ${fault}`));
    const [what, wordsFor] = programs[number % 3] as (typeof programs)[number];
    wrong.push(
      ...(await judgeTerminal(wordsFor(directory, store, name))).map((fault) => `${what}, terminal: ${fault}`),
    );
    round.count({ row, wrong });
  }
}

function judgeOutput(words: string[]): string[] {
  const { said, wrong } = runToEnd(commandOf(words));
  return [...wrong, ...faultsOfOutput(said)];
}

async function judgeTerminal(words: string[]): Promise<string[]> {
  if (!hasTerminals) return [];
  const { bytes, code } = await seenInTerminal(commandOf(words), { columns: 100 });
  const said = withoutOurs(bytes);
  return [...faultsOfEnding(said, code), ...faultsOfOutput(said)];
}

/** Removes the programs' own control sequences: colours, and "rewrite this line". */
function withoutOurs(bytes: string): string {
  // oxlint-disable-next-line no-control-regex
  return bytes.replaceAll("\r\n", "\n").replaceAll(/\u001b\[\d*m|\r\u001b\[2K/g, "");
}

/** Finds control sequences in the output of a program. */
export function faultsOfOutput(text: string): string[] {
  const found = STEERING.exec(text);
  return found === null
    ? []
    : [`${JSON.stringify(text.slice(Math.max(0, found.index - 60), found.index + 20))} contains a control character`];
}
