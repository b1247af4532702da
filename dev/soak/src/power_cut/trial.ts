import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { command } from "../disks/commands.ts";
import type { Disk } from "../disks/disk.ts";
import { copyOf } from "../system_calls/copy_of.ts";
import { Crew } from "./crew.ts";
import { cutPower } from "./cut.ts";
import { PROCESSES, type Writer } from "./writer.ts";
import { folderOf } from "./writers.ts";

/** What came of one writer. */
export interface Outcome {
  writer: Writer;
  acknowledged: number;
  /** How many writes are there; undefined where something is damaged. */
  found: number | undefined;
  lost: string[];
  wrong: string[];
}

/** The power went. */
export interface Cut {
  crew: Crew;
  /** A copy of what was there when the power was back. */
  copy: string;
  /** As `process.hrtime.bigint()` counts. */
  at: bigint;
}

/** Starts the processes of the writers, which wait until they may begin. */
export function callCrew(writers: readonly Writer[], seed: number, place: string): Crew {
  const crew = new Crew();
  for (const process of PROCESSES) {
    const rows = writers.filter((writer) => writer.process === process).map(({ row }) => row);
    if (rows.length > 0) crew.call(seed, rows, place);
  }
  return crew;
}

/**
 * Lets a crew write, cuts the power, and brings what is there when it is back to a place that keeps its power.
 *
 * @param template What they find, a folder for each writer.
 * @param seconds How long they write.
 * @returns Where the copy is, and when the power went.
 */
export async function cutOnce(
  disk: Disk,
  crew: Crew,
  { template, place, seconds }: { template: string; place: string; seconds: number },
): Promise<Cut> {
  const directory = join(disk.directory, "all");
  copyOf(template, directory);
  command("sync", "--file-system", disk.directory);
  let at: bigint;
  try {
    await crew.begin(directory);
    await after(seconds * 1000);
    at = cutPower(disk.directory);
  } finally {
    await crew.die();
  }
  await disk.unmount();
  disk.mount();
  const copy = copyOf(directory, join(place, "look"));
  rmSync(directory, { recursive: true });
  return { copy, crew, at };
}

/** Judges what each writer left. */
export async function judgeAll(writers: readonly Writer[], cut: Cut): Promise<Outcome[]> {
  const outcomes = [];
  for (const writer of writers) outcomes.push(await judge(writer, cut));
  return outcomes;
}

async function judge(writer: Writer, { copy, crew, at }: Cut): Promise<Outcome> {
  const acknowledged = crew.acknowledged(writer.row, at);
  const said = { acknowledged, atLast: crew.acknowledged(writer.row), failures: crew.failures(writer.row, at) };
  return { writer, acknowledged, ...(await judgeWrites(writer, join(copy, folderOf(writer)), said)) };
}

/** What a writer said: before the power went, and at last. */
export interface Said {
  acknowledged: number;
  atLast: number;
  failures: readonly string[];
}

/** Compares what was acknowledged with what is there. */
export async function judgeWrites(
  writer: Writer,
  directory: string,
  { acknowledged, atLast, failures }: Said,
): Promise<Pick<Outcome, "found" | "lost" | "wrong">> {
  const wrong = failures.map((text) => `failed before the power went: ${text}`);
  try {
    const found = await writer.writesIn(directory, acknowledged, atLast);
    const missing = acknowledged - found;
    if (found > atLast + 1) wrong.push(`${found} writes are there, and only ${atLast} were acknowledged`);
    const lost = missing > 0 && writer.mayLose !== true;
    return { found, wrong, lost: lost ? [`${missing} of ${acknowledged} acknowledged writes are gone`] : [] };
  } catch (error) {
    const left = readdirSync(directory).slice(0, 20).join(", ");
    const text = `damaged after ${acknowledged} acknowledged writes: ${(error as Error).message} (there is ${left})`;
    return { found: undefined, wrong: [...wrong, text], lost: [] };
  }
}

/** Lays out what all writers find. */
export async function layOutAll(writers: readonly Writer[], template: string): Promise<void> {
  for (const writer of writers) {
    const directory = join(template, folderOf(writer));
    mkdirSync(directory, { recursive: true });
    await writer.layOut(directory);
  }
}
