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

/** Outcome of one writer. */
export interface Outcome {
  writer: Writer;
  acknowledged: number;
  /** Number of writes that were found; undefined if something is damaged. */
  found: number | undefined;
  lost: string[];
  wrong: string[];
}

/** One power cut. */
export interface Cut {
  crew: Crew;
  /** A copy of the disk's content after the cut. */
  copy: string;
  /** Time in the units of `process.hrtime.bigint()`. */
  at: bigint;
}

/** Starts the processes of the writers, which wait for the start. */
export function callCrew(writers: readonly Writer[], seed: number, place: string): Crew {
  const crew = new Crew();
  for (const process of PROCESSES) {
    const rows = writers.filter((writer) => writer.process === process).map(({ row }) => row);
    if (rows.length > 0) crew.call(seed, rows, place);
  }
  return crew;
}

/**
 * Lets a crew write, cuts the power, mounts the disk again and copies its content to another disk.
 *
 * @param template The initial files, a folder for each writer.
 * @param seconds Duration of the writing.
 * @returns The copy's place, and the time of the cut.
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

/** Judges the data of each writer. */
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

/** Messages of a writer: before the cut, and in total. */
export interface Said {
  acknowledged: number;
  atLast: number;
  failures: readonly string[];
}

/** Compares the acknowledged writes with those that were found. */
export async function judgeWrites(
  writer: Writer,
  directory: string,
  { acknowledged, atLast, failures }: Said,
): Promise<Pick<Outcome, "found" | "lost" | "wrong">> {
  const wrong = failures.map((text) => `failed before the power cut: ${text}`);
  try {
    const found = await writer.writesIn(directory, acknowledged, atLast);
    const missing = acknowledged - found;
    if (found > atLast + 1) wrong.push(`${found} writes are stored, but only ${atLast} were acknowledged`);
    const lost = missing > 0 && writer.mayLose !== true;
    return { found, wrong, lost: lost ? [`${missing} of ${acknowledged} acknowledged writes are lost`] : [] };
  } catch (error) {
    const left = readdirSync(directory).slice(0, 20).join(", ");
    const text = `damaged after ${acknowledged} acknowledged writes: ${(error as Error).message} (there is ${left})`;
    return { found: undefined, wrong: [...wrong, text], lost: [] };
  }
}

/** Prepares the initial files of all writers. */
export async function layOutAll(writers: readonly Writer[], template: string): Promise<void> {
  for (const writer of writers) {
    const directory = join(template, folderOf(writer));
    mkdirSync(directory, { recursive: true });
    await writer.layOut(directory);
  }
}
