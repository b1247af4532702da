import { lstatSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { freeName } from "./free_name.ts";

/** A file `<stem><suffix>` (number 1) or `<stem>.<number><suffix>`. */
interface NumberedFile {
  path: string;
  number: number;
}

/**
 * The regular files of one stem that are there, oldest first: also where an operator took one away in between, and, where
 * the file system ignores case, of the stem in another spelling. Links are not followed; a directory that is not there has
 * none.
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
  return freeName((number) => nameOf(stem, last + number, suffix));
}

function nameOf(stem: string, number: number, suffix: string): string {
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
    // Only a file system that ignores case finds it under the name of the stem.
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
