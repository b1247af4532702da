import { join, relative, sep } from "node:path";
import { printable } from "./terminal.ts";

/** An address such as `postgres://…` or `s3://…`, which is not shortened like a path. */
const ADDRESS = /^[a-z][a-z\d+.-]*:\/\//i;

/** Undefined if it was removed: a deployment may replace the directory in which a program was started. */
function workingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** The shorter one of the absolute and the relative path, escaped for a terminal. */
export function shownPath(path: string): string {
  if (ADDRESS.test(path)) return printable(path);
  const here = workingDirectory();
  if (here === undefined) return printable(path);
  const isDirectory = path.endsWith("/");
  const from = relative(here, path);
  const near = isDirectory ? `${from === "" ? "." : from}/` : from;
  return printable(near !== "" && near.length < path.length ? near : path);
}

/** A sentence whose paths are shortened as by {@link shownPath}, escaped for a terminal. */
export function shownText(sentence: string): string {
  const here = join(workingDirectory() ?? sep, sep);
  // In the root directory nothing is shortened: every path begins with it, and every address contains it.
  if (here === sep) return printable(sentence);
  const [first, ...rest] = sentence.split(here) as [string, ...string[]];
  // Kept if it is in the middle of another path.
  const text = rest.reduce((before, part) => `${before}${/[^\s("']$/.test(before) ? here : ""}${part}`, first);
  return printable(text);
}
