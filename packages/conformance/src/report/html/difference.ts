import { escapeControls } from "../../values/escape.ts";
import { markup } from "./markup.ts";
import type { Markup } from "./markup.ts";

/** A text in three parts: what both sides begin with, what differs, what both end with. */
interface Parts {
  before: string;
  middle: string;
  after: string;
}

/**
 * What was wanted beside what came, the part that differs marked. Texts with too little in common to be worth
 * comparing have no marks.
 */
export function difference(wanted: string, got: string): { wanted: Markup; got: Markup } {
  const [left, right] = split(escapeControls(wanted), escapeControls(got));
  return { wanted: marked(left), got: marked(right) };
}

function split(wanted: string, got: string): [Parts, Parts] {
  // By code points, so that no character is cut in two.
  const [a, b] = [Array.from(wanted), Array.from(got)];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const worthwhile = start + end >= 4 && start + end >= shorter / 4;
  const parts = (all: string[], whole: string): Parts =>
    worthwhile
      ? {
          before: all.slice(0, start).join(""),
          middle: all.slice(start, all.length - end).join(""),
          after: all.slice(all.length - end).join(""),
        }
      : { before: whole, middle: "", after: "" };
  return [parts(a, wanted), parts(b, got)];
}

function marked({ before, middle, after }: Parts): Markup {
  return middle === "" ? markup`${before + after}` : markup`${before}<mark>${middle}</mark>${after}`;
}
