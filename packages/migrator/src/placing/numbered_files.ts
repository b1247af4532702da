import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** A file `<stem><suffix>` (number 1) or `<stem>.<number><suffix>`. */
interface NumberedFile {
  path: string;
  number: number;
}

/**
 * The regular files of one stem that are there, oldest first: also where an operator took one away in between. Links are
 * not followed; a directory that is not there has none.
 */
export function numberedFiles(stem: string, suffix: string): string[] {
  return listed(stem, suffix).map(({ path }) => path);
}

/** The name after the last one that is taken, so that the newest file always has the highest number. */
export function nextFile(stem: string, suffix: string): string {
  const number = (listed(stem, suffix, false).at(-1)?.number ?? 0) + 1;
  return `${stem}${number === 1 ? "" : `.${number}`}${suffix}`;
}

function listed(stem: string, suffix: string, filesOnly = true): NumberedFile[] {
  const start = basename(stem);
  return entriesOf(dirname(stem))
    .filter((entry) => entry.name.startsWith(start) && entry.name.endsWith(suffix) && (!filesOnly || entry.isFile()))
    .map(({ name }) => ({
      path: join(dirname(stem), name),
      number: numberIn(name.slice(start.length, -suffix.length)),
    }))
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
