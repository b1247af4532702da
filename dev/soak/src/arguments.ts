import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import type { Soak } from "./soak.ts";
import { SOAKS } from "./soaks.ts";

const USAGE = `usage: pnpm soak [NAME …] [OPTIONS]

Disturb perdura and check the result. Without a NAME, run every soak that this
machine supports. Exit codes: 0 nothing lost or wrong, 1 something was,
2 could not run, 130 interrupted.

${SOAKS.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`).join("\n")}

  --minutes N      run for N minutes, each round with the next seed [one round]
  --seed N         use this random seed; it determines all trials [1]
  --share PERCENT  run this part of a round [100; with --minutes: 10]
  --only TEXT      run only rows whose name contains TEXT
  --point NAME     run only this point, such as program:pwrite64:17; for crash,
                   errors and interrupt also a prefix, such as program:statx
                   (not for power_cut, together and long_life)
  --dir DIRECTORY  use the file system of DIRECTORY [that of temporary files]
  --json FILE      write the report to FILE [soak-report.json]
  -h, --help       print this help`;

/** Requests of the command line. */
export interface SoakArguments {
  soaks: readonly Soak[];
  /** True if no soak was named; soaks that this machine cannot run are then left out. */
  all: boolean;
  minutes: number | null;
  seed: number;
  share: number;
  only: string | undefined;
  point: string | undefined;
  directory: string;
  json: string;
}

/**
 * Reads the command line.
 *
 * @returns `{ text }` for a text to print.
 * @throws Error for unknown or out-of-range arguments.
 */
export function parseSoakArguments(words: readonly string[]): SoakArguments | { text: string } {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      minutes: text,
      seed: text,
      share: text,
      only: text,
      point: text,
      dir: text,
      json: text,
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) return { text: USAGE };
  const unknown = positionals.filter((name) => !SOAKS.some((soak) => soak.name === name));
  if (unknown.length > 0)
    throw new Error(
      `Unknown soak ${unknown.join(", ")}: expected some of ${SOAKS.map(({ name }) => name).join(", ")}.`,
    );
  return {
    soaks: SOAKS.filter(({ name }) => positionals.length === 0 || positionals.includes(name)),
    all: positionals.length === 0,
    minutes: values.minutes === undefined ? null : numberIn("minutes", values.minutes, 0.01, 100_000),
    seed: wholeNumberIn("seed", values.seed ?? "1"),
    share: numberIn("share", values.share ?? (values.minutes === undefined ? "100" : "10"), 0.001, 100) / 100,
    only: values.only,
    point: values.point,
    directory: existing("dir", values.dir ?? tmpdir()),
    json: besideOthers("json", values.json ?? "soak-report.json"),
  };
}

function numberIn(option: string, text: string, least: number, most: number): number {
  const number = /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new Error(`--${option}: expected a number from ${least} to ${most}, got ${text}.`);
}

function wholeNumberIn(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`--${option}: expected a whole number from 0 to 999999999, got ${text}.`);
}

function existing(option: string, directory: string): string {
  if (existsSync(directory)) return resolve(directory);
  throw new Error(`--${option}: expected a directory that exists, got ${directory}.`);
}

function besideOthers(option: string, file: string): string {
  if (existsSync(dirname(resolve(file)))) return resolve(file);
  throw new Error(`--${option}: expected a file in a directory that exists, got ${file}.`);
}
