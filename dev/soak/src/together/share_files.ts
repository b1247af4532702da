import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { StateManager } from "@perdura/v15";
import Database from "better-sqlite3";
import type { Round } from "../soak.ts";
import { type Format, FORMATS, versionsIn } from "./common_libraries.ts";
import { SHARED_USERS, stateFault } from "./common_states.ts";
import { shareFor, type SharingStory } from "./sharing_crowd.ts";

/** Number of simultaneous programs, and seconds, of a full round. */
const [PROGRAMS, SECONDS] = [16, 10];
/** Interval in milliseconds at which all programs begin another database. */
const EVERY = 100;

const ROW_NAMES: Record<Format, string> = {
  json: "one library in JSON",
  replace: "one library in SQLite, replaced",
  merge: "one library in SQLite, merged",
};

/** Pattern libraries and states that many programs save and load at once. */
export async function shareFiles(round: Round): Promise<void> {
  for (const format of FORMATS)
    await tryRow(round, ROW_NAMES[format], (place, names) => shareLibrary(round, format, place, names));
  await tryRow(round, "new libraries, begun by all at once", (place, names) => beginLibraries(round, place, names));
  await tryRow(round, "states of the same users (15)", (place, names) => shareStates(round, place, names));
}

interface Outcome {
  story: SharingStory;
  lost: string[];
  wrong: string[];
}

async function tryRow(
  round: Round,
  row: string,
  attempt: (place: string, names: readonly string[]) => Promise<Outcome>,
): Promise<void> {
  if (round.isOver() || !round.wants(row)) return;
  const place = join(round.place, row.replaceAll(/\W+/g, "-"));
  mkdirSync(place);
  const names = Array.from({ length: round.share < 0.1 ? 4 : PROGRAMS }, (_, index) => `agent${index}`);
  const { story, lost, wrong } = await attempt(place, names);
  round.count({ row, trials: story.saves, lost: lost.slice(0, 10), wrong: [...story.wrong.slice(0, 10), ...wrong] });
  round.remark(row, `${names.length} processes, ${story.checked} loads compared`);
}

const secondsOf = ({ share }: Round): number => Math.max(0.5, SECONDS * share);

/** Unexpected or missing names in a directory. */
function namesFault(directory: string, expected: readonly string[]): string[] {
  const found = readdirSync(directory).toSorted().join();
  return found === expected.toSorted().join() ? [] : [`found the files ${found}, expected ${expected.join()}`];
}

async function shareLibrary(round: Round, format: Format, place: string, names: readonly string[]): Promise<Outcome> {
  const file = format === "json" ? "library.json" : "library.db";
  const path = join(place, file);
  const members = new Map(names.map((name) => [name, ["share_library.ts", format, path, name]] as const));
  const story = await shareFor(members, secondsOf(round), round.isOver);
  const last = new Map(names.map((name) => [name, story.saved.get(name)?.get(name) ?? 0]));
  const { versions, wrong } = versionsIn(format, path);
  const isLast = ({ agent, version }: { agent: string; version: number }): boolean => last.get(agent) === version;
  const lost =
    format === "merge"
      ? [...last].filter(([agent, version]) => !versions.some((one) => one.agent === agent && one.version === version))
      : versions.filter((one) => !isLast(one)).map(({ agent, version }) => [agent, version] as const);
  return {
    story,
    lost: lost.map(
      ([agent, version]) => `the library does not match what ${agent} saved last (${last.get(agent)}, ${version})`,
    ),
    wrong: [...wrong, ...namesFault(place, [file]), ...(format === "merge" ? usageFaults(path, last) : [])],
  };
}

/** Checks that each save added one use of the agent's pattern. */
function usageFaults(path: string, last: ReadonlyMap<string, number>): string[] {
  const database = new Database(path, { readonly: true });
  try {
    const uses = database.prepare("SELECT count(*) FROM pattern_usage WHERE agent_id = ?").pluck();
    const check = database.pragma("integrity_check", { simple: true });
    return [
      ...(check === "ok" ? [] : [`integrity_check returned ${String(check)}`]),
      ...[...last].flatMap(([agent, version]) =>
        uses.get(agent) === version ? [] : [`${agent} had ${version} uses, but ${String(uses.get(agent))} are stored`],
      ),
    ];
  } finally {
    database.close();
  }
}

async function beginLibraries(round: Round, place: string, names: readonly string[]): Promise<Outcome> {
  const words = [String(Date.now()), String(EVERY)];
  const members = new Map(names.map((name) => [name, ["begin_library.ts", place, name, ...words]] as const));
  const story = await shareFor(members, secondsOf(round), round.isOver);
  const [lost, wrong]: string[][] = [[], []];
  for (const file of readdirSync(place)) {
    if (!/^library-\d+\.db$/.test(file)) wrong?.push(`${file} was left behind`);
    else wrong?.push(...versionsIn("merge", join(place, file)).wrong.map((text) => `${file}: ${text}`));
  }
  for (const [agent, saved] of story.saved)
    for (const number of saved.values()) {
      const path = join(place, `library-${number}.db`);
      const there = existsSync(path) && versionsIn("merge", path).versions.some((one) => one.agent === agent);
      if (!there) lost?.push(`what ${agent} saved into library ${number} is missing`);
    }
  return { story, lost: lost ?? [], wrong: wrong ?? [] };
}

async function shareStates(round: Round, place: string, names: readonly string[]): Promise<Outcome> {
  const directory = join(place, "state");
  const members = new Map(names.map((name) => [name, ["share_states.ts", directory, name]] as const));
  const story = await shareFor(members, secondsOf(round), round.isOver);
  const states = new StateManager(directory);
  const [lost, wrong]: [string[], string[]] = [[], []];
  for (const user of new Set([...names, ...SHARED_USERS])) {
    const state = states.loadState(user);
    const savers = [...story.saved].filter(([, saved]) => saved.has(user));
    if (state === null) {
      if (savers.length > 0) lost.push(`the state of ${user}`);
      continue;
    }
    const fault = stateFault(user, state);
    if (fault !== undefined) wrong.push(fault);
    // The state must be the last one of its writer, whichever wrote last.
    if (story.saved.get(String(state["writer"]))?.get(user) !== state.interaction_count)
      lost.push(`${user} has version ${state.interaction_count} of ${String(state["writer"])}, which was replaced`);
  }
  const users = states.listUsers().length;
  wrong.push(
    ...(readdirSync(directory).length === users ? [] : [`${users} users, files ${readdirSync(directory).join()}`]),
  );
  return { story, lost, wrong };
}
