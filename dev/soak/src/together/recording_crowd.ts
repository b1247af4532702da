import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { seededRandom } from "../../../../fixtures/generate/seeded_random.ts";
import type { MetricsLine } from "./lines.ts";
import { type Hear, Member } from "./member.ts";
import { userOf, type Way, WAYS } from "./recorded.ts";
import { PATIENCE_MS } from "../../../../test/patience.ts";

/** A crowd of programs on one metrics database. */
export interface CrowdPlan {
  line: MetricsLine;
  /** An empty directory for it. */
  place: string;
  seed: number;
  /** Number of programs at each moment. */
  processes: number;
  seconds: number;
  /** Kills recorders with SIGKILL at random moments, and replaces them. */
  kills: boolean;
  isOver: () => boolean;
}

/** Actions and messages of a crowd. */
export interface CrowdStory {
  database: string;
  /** Number of acknowledged rows, by user. */
  acknowledged: Map<string, number>;
  /** Users whose programs were killed. */
  killed: Set<string>;
  wrong: string[];
  /** Number of started programs, and of comparisons by readers. */
  started: number;
  checked: number;
  largestLog: number;
  seconds: number;
}

/**
 * Lets a crowd record, read, export, open and close for some time. Half of its programs are recorders, a quarter
 * readers.
 */
export async function runCrowd(plan: CrowdPlan): Promise<CrowdStory> {
  const { line, place, seed, processes, seconds, kills } = plan;
  const database = join(place, "metrics.db");
  const [random, acknowledged, killed] = [
    seededRandom(seed, `crowd ${line.number}`),
    new Map<string, number>(),
    new Set<string>(),
  ];
  const story: CrowdStory = {
    database,
    acknowledged,
    killed,
    wrong: [],
    started: 0,
    checked: 0,
    largestLog: 0,
    seconds,
  };
  const [over, begun, first] = [new AbortController(), new Set<string>(), performance.now()];

  const hearing =
    (name: string, user?: string): Hear =>
    (word, rest) => {
      begun.add(name);
      if (word === "stored" && user !== undefined) acknowledged.set(user, Number(rest));
      else if (word === "checked") story.checked += Number(rest);
      else story.wrong.push(`${name}: ${word} ${rest}`);
    };
  const begin = (program: string, words: readonly string[], name: string, user?: string): Member => {
    story.started += 1;
    return new Member(program, [line.number, database, ...words], hearing(name, user), name);
  };

  const recorder = (way: Way, index: number, life: number): Member => {
    const user = userOf(way, index, life);
    return begin("record.ts", [user, index % 3 === 0 ? "normal" : "full"], user, user);
  };
  /** Short-lived programs, one after the other. */
  const opener = async (index: number): Promise<void> => {
    for (let life = 1; !over.signal.aborted; life += 1) {
      const user = userOf("single", `open${index}`, life);
      // Its input ends at once: it reads none, and a hang is detected.
      story.wrong.push(...(await begin("open.ts", [user], user, user).end(PATIENCE_MS)));
    }
  };

  const recorders = Array.from({ length: processes / 2 }, (_, index) => ({
    index,
    life: 1,
    way: WAYS[index % 4] as Way,
  }));
  const recording = recorders.map(({ way, index, life }) => recorder(way, index, life));
  const watching = Array.from({ length: processes / 4 }, (_, index) => begin("read.ts", [], `reader ${index}`));
  for (let index = 0; index < processes / 8; index += 1) {
    const directory = join(place, `export-${index}`);
    mkdirSync(directory);
    watching.push(begin("export.ts", [directory], `exporter ${index}`));
  }
  const opening = Array.from({ length: processes / 8 }, (_, index) => opener(index));

  // Counted from the moment when all programs are active: starting them takes longer than a sample lasts.
  const atWork = (): boolean => [...recording, ...watching].every(({ name }) => begun.has(name));
  for (const late = performance.now() + PATIENCE_MS; !atWork() && performance.now() < late && !plan.isOver();)
    await pause(20);
  const [began, end] = [performance.now(), performance.now() + seconds * 1000];
  for (let nextKill = began; performance.now() < end && !plan.isOver();) {
    await pause(50);
    story.largestLog = Math.max(story.largestLog, statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0);
    if (!kills || performance.now() < nextKill) continue;
    nextKill = performance.now() + 100 + random.fraction() * 900;
    const victim = random.pick(recorders);
    const member = recording[victim.index] as Member;
    // A program without output is still starting.
    if ((acknowledged.get(member.name) ?? 0) === 0) continue;
    killed.add(member.name);
    member.kill();
    story.wrong.push(...(await member.end(PATIENCE_MS)));
    victim.life += 1;
    recording[victim.index] = recorder(victim.way, victim.index, victim.life);
  }
  over.abort();
  story.seconds = (performance.now() - first) / 1000;
  const ends = [...recording, ...watching].map((member) => member.end(PATIENCE_MS));
  story.wrong.push(...(await Promise.all(ends)).flat());
  await Promise.all(opening);
  return story;
}
