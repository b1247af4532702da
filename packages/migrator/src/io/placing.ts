import { linkSync, lstatSync, type PathLike, readdirSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { entryExists } from "@perdura/internals/files/exact_names.js";
import { renameFile } from "@perdura/internals/files/rename_file.js";
import { NO_HARD_LINKS } from "@perdura/internals/files/whole_file.js";
import { Stop } from "../core/stop.ts";

/**
 * Maximum number of names to try, so that a file system that finds a file under every name cannot block a run forever.
 */
const MOST = 10_000;

/**
 * The first free name. A link counts as taken, even a dangling one: it is neither followed nor replaced. A name that is
 * too long counts as free; the caller cannot use it.
 *
 * @throws Stop if none of 10,000 names is free.
 */
export function freeName(nameOf: (number: number) => string): string {
  for (let number = 1; number <= MOST; number += 1) {
    const name = nameOf(number);
    if (!entryExists(name)) return name;
  }
  throw noFreeName(nameOf(1), MOST);
}

/** Error for a search that found no free name. */
export function noFreeName(first: string, tries: number): Stop {
  return new Stop(
    "failed",
    `No free file name: ${first} and the next ${tries - 1} names exist. No data was changed. Move some of these files to another directory.`,
  );
}

/**
 * Gives a finished file its name; a rename would replace a file that another process created meanwhile.
 *
 * @returns False if the name is taken; nothing was changed then.
 */
export function giveName(temporary: PathLike, path: PathLike): boolean {
  try {
    linkSync(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (!NO_HARD_LINKS.has(code)) throw error;
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false;
    renameFile(temporary, path);
    return true;
  }
  unlinkSync(temporary);
  return true;
}

/** Maximum number of names to try while other processes take them. */
export const TRIES = 100;

/**
 * Gives a finished file the next free name, even if another process takes names at the same time.
 *
 * @param nextName Finds a free name; called again if that name was taken meanwhile.
 * @returns The name.
 * @throws Stop after 100 names.
 */
export function giveNextName(temporary: string, nextName: () => string): string {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const path = nextName();
    if (giveName(temporary, path)) return path;
  }
  throw noFreeName(nextName(), TRIES);
}

/** A file `<stem><suffix>` (number 1) or `<stem>.<number><suffix>`. */
interface NumberedFile {
  path: string;
  number: number;
}

/**
 * The existing regular files of one stem, oldest first. Numbers may have gaps, because an operator may have removed
 * files; on a file system that ignores case, the stem may be spelled differently. Links are not followed; a missing
 * directory has no files.
 */
export function numberedFiles(stem: string, suffix: string): string[] {
  return listed(stem, suffix).map(({ path }) => path);
}

/**
 * The name after the last one that is taken, so that the newest file always has the highest number.
 *
 * @throws Stop as {@link freeName} does.
 */
export function nextFile(stem: string, suffix: string): string {
  const last = listed(stem, suffix, false).at(-1)?.number ?? 0;
  return freeName((number) => numberedName(stem, last + number, suffix));
}

function numberedName(stem: string, number: number, suffix: string): string {
  return `${stem}${number === 1 ? "" : `.${number}`}${suffix}`;
}

function listed(stem: string, suffix: string, filesOnly = true): NumberedFile[] {
  const [directory, start] = [dirname(stem), basename(stem)];
  const entries = entriesOf(directory);
  const names = new Set(entries.map(({ name }) => name));
  const isOfStem = (name: string): boolean => {
    if (!name.endsWith(suffix)) return false;
    if (name.startsWith(start)) return true;
    const spelled = `${start}${name.slice(start.length)}`;
    if (name.toLowerCase() !== spelled.toLowerCase() || names.has(spelled)) return false;
    // Only a file system that ignores case finds the file under this spelling.
    return lstatSync(join(directory, spelled), { throwIfNoEntry: false }) !== undefined;
  };
  return entries
    .filter((entry) => isOfStem(entry.name) && (!filesOnly || entry.isFile()))
    .map(({ name }) => ({ path: join(directory, name), number: numberIn(name.slice(start.length, -suffix.length)) }))
    .filter(({ number }) => number > 0)
    .toSorted((one, other) => one.number - other.number);
}

function numberIn(middle: string): number {
  if (middle === "") return 1;
  return /^\.(?:[2-9]|[1-9]\d{1,8})$/.test(middle) ? Number(middle.slice(1)) : 0;
}

function entriesOf(directory: string): { name: string; isFile(): boolean }[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
