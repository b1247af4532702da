import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Round, shareOf } from "../soak.ts";
import { seededRandom } from "../../../../fixtures/generate/seeded_random.ts";
import { type Ended, endText, runProgram } from "./run_program.ts";
import { type Format, save, versionsIn } from "./common_libraries.ts";

/** Number of commands that each program runs in a full round. */
const COMMANDS = 40;

interface Version {
  name: string;
  version: string;
}

/** History of the versions that were stored. */
interface Story {
  stored: Map<string, Version>;
  removed: Set<string>;
  wrong: string[];
  lost: string[];
  commands: number;
}

const keyOf = ({ name, version }: Version): string => `${name}/${version}`;

/**
 * Programs that push, pull, verify and prune in one store at once: nothing may be lost, and each version must be
 * intact.
 */
export async function backUpAtOnce(round: Round, backup: () => string): Promise<void> {
  for (const programs of [2, 8]) {
    const row = `${programs} of perdura-backup on one store`;
    if (round.isOver() || !round.wants(row)) continue;
    const place = join(round.place, `backup-${programs}`);
    mkdirSync(place);
    const story: Story = { stored: new Map(), removed: new Set(), wrong: [], lost: [], commands: 0 };
    const commands = shareOf(COMMANDS, round);
    await Promise.all(
      Array.from({ length: programs }, (_, index) => work({ index, place, commands, program: backup(), story, round })),
    );
    await judge(place, backup(), story);
    const { lost, wrong, stored, removed } = story;
    round.count({ row, trials: story.commands, lost: lost.slice(0, 10), wrong: wrong.slice(0, 10) });
    round.remark(row, `${stored.size} versions stored, ${removed.size} removed`);
    rmSync(place, { recursive: true });
  }
}

interface Worker {
  index: number;
  place: string;
  commands: number;
  program: string;
  story: Story;
  round: Round;
}

/** Runs random commands of perdura-backup, one after the other. */
async function work({ index, place, commands, program, story, round }: Worker): Promise<void> {
  const random = seededRandom(round.seed, `backup ${index}`);
  const [store, own] = [pathToFileURL(join(place, "store")).href, join(place, `own-${index}`)];
  mkdirSync(own);
  const run = async (expected: readonly number[], ...words: string[]): Promise<Ended> => {
    const ended = await runProgram(program, ...words, "--json");
    story.commands += 1;
    if (!expected.includes(ended.code ?? -1)) story.wrong.push(endText(words, ended));
    return ended;
  };
  for (let version = 1; version <= commands && !round.isOver(); version += 1) {
    // Two libraries that all programs push, one of each format.
    const format: Format = random.pick(["json", "merge"]);
    const name = `shared-${format}`;
    const command = version === 1 ? "push" : random.pick(["push", "push", "pull", "verify", "list", "prune"]);
    if (command === "push") {
      const file = join(own, format === "json" ? "library.json" : `library-${version}.db`);
      save(format, file, { agent: `agent${index}`, version });
      const { code, stdout } = await run([0], "push", store, file, "--name", name);
      if (code === 0) note(story.stored, [(JSON.parse(stdout) as { backup: Version }).backup]);
    } else if (command === "pull") {
      const file = join(own, format === "json" ? "pulled.json" : "pulled.db");
      // If the library was not yet pushed, or others removed the chosen version, the program reports that it does not
      // exist.
      const { code } = await run([0, 2], "pull", store, name, "--to", file, "--overwrite");
      if (code === 0)
        story.wrong.push(...versionsIn(format, file).wrong.map((text) => `in the restored library: ${text}`));
    } else if (command === "prune") {
      const { code, stdout } = await run([0], "prune", store, "--keep-last", "3", "--yes");
      if (code === 0)
        for (const gone of (JSON.parse(stdout) as { removed: Version[] }).removed) story.removed.add(keyOf(gone));
    } else await run([0], command, store);
  }
}

function note(stored: Map<string, Version>, versions: readonly Version[]): void {
  for (const version of versions) stored.set(keyOf(version), version);
}

/** Checks that every stored version is intact, unless a prune reported its removal, and that there are no others. */
async function judge(place: string, program: string, story: Story): Promise<void> {
  const store = join(place, "store");
  const words = ["verify", pathToFileURL(store).href];
  const ended = await runProgram(program, ...words, "--json");
  if (ended.code !== 0) {
    story.wrong.push(endText(words, ended));
    return;
  }
  const there = new Set((JSON.parse(ended.stdout) as { versions: Version[] }).versions.map(keyOf));
  for (const key of story.stored.keys())
    if (there.has(key) === story.removed.has(key)) {
      if (there.has(key)) story.wrong.push(`${key} was removed, but exists`);
      else story.lost.push(`${key} was stored and not removed, but is missing`);
    }
  for (const key of there) if (!story.stored.has(key)) story.wrong.push(`${key} exists, but was never stored`);
  const left = readdirSync(store, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("perdura-tmp"));
  story.wrong.push(...left.map((name) => `${name} was left behind`));
}
