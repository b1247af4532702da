import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { faultsAfterError } from "../operations/judge.ts";
import type { Operation } from "../operations/operation.ts";
import type { Words } from "../operations/perform.ts";
import { commandFor, environment, namesIn, type Rehearsed } from "../operations/rehearsal.ts";
import { copyWithoutTimes } from "../system_calls/copy_of.ts";
import { type Ended, run } from "../system_calls/run_command.ts";
import { type Level, nameOf, ShortDisk, namesShortage } from "./shortage.ts";

/** Outcome of an operation with little space left. */
export interface Attempted {
  /** True if nothing was short. */
  enough: boolean;
  wrong: string[];
}

/** Prepares the files of an operation and runs it with enough space, to learn which files it leaves. */
export async function rehearseWithRoom(operation: Operation, place: string): Promise<Rehearsed> {
  const template = join(place, "template");
  mkdirSync(template, { recursive: true });
  await operation.layOut(template);
  const whole = copyWithoutTimes(template, join(place, "whole"));
  const { code, stdout, stderr } = await run(commandFor(operation, whole), environment(place));
  if (code !== 0) throw new Error(`${operation.name} had enough space, but ended with ${code}: ${stdout}${stderr}`);
  return {
    operation,
    template,
    namesBefore: namesIn(template),
    namesAfter: namesIn(whole),
    changing: [],
    touching: [],
    unsynced: [],
  };
}

/** Runs an operation on a disk with this much left, and checks its output and its files. */
export async function attemptOperation(rehearsed: Rehearsed, level: Level, place: string): Promise<Attempted> {
  const disk = new ShortDisk(place, level);
  try {
    const directory = copyWithoutTimes(rehearsed.template, join(disk.directory, "data"));
    disk.fill();
    const ended = await run([...disk.limiting, ...commandFor(rehearsed.operation, directory)], environment(place));
    disk.relieve();
    const faults = await faultsAfterError(rehearsed, directory, ended, { name: "write" });
    const at = nameOf(level);
    return {
      enough: ended.code === 0,
      wrong: [...faults, ...judgeMessage(ended, level)].map((text) => `${at}: ${text}`),
    };
  } finally {
    await disk.remove();
  }
}

/** Checks that the error names the shortage. */
export function judgeMessage({ stdout }: Pick<Ended, "stdout">, level: Level): string[] {
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  const { error } = line.startsWith("{") ? (JSON.parse(line) as Words) : {};
  return error === undefined || namesShortage(level, error.message)
    ? []
    : [`the error does not name the shortage: ${error.message}`];
}
