import { join, relative, sep } from "node:path";
import { printable } from "./terminal.ts";

/** `postgres://…`, `s3://…`: not a path, and not shortened like one. */
const ADDRESS = /^[a-z][a-z\d+.-]*:\/\//i;

/** The shorter one of the absolute and the relative path, escaped for a terminal. */
export function nameOf(path: string): string {
  if (ADDRESS.test(path)) return printable(path);
  const isDirectory = path.endsWith("/");
  const from = relative(process.cwd(), path);
  const near = isDirectory ? `${from === "" ? "." : from}/` : from;
  return printable(near !== "" && near.length < path.length ? near : path);
}

/** A sentence whose paths are shortened as by {@link nameOf}, escaped for a terminal. */
export function textOf(sentence: string): string {
  const here = join(process.cwd(), sep);
  // Every path begins with the root, and every address has it in the middle.
  if (here === sep) return printable(sentence);
  const [first, ...rest] = sentence.split(here) as [string, ...string[]];
  // `here` may be the middle of another path.
  const text = rest.reduce((before, part) => `${before}${/[^\s("']$/.test(before) ? here : ""}${part}`, first);
  return printable(text);
}
