import { isThere } from "@perdura/internals/files/exact_names.js";
import { Stop } from "../core/stop.ts";

/** Names that are tried. A file system that finds something under every name must not keep a run for ever. */
const MOST = 10_000;

/**
 * The first name that nothing has. A link counts, also one that leads nowhere: it is neither written through nor replaced. A name that is
 * too long is free; the caller cannot use it.
 *
 * @throws Stop where none of 10,000 names is free.
 */
export function freeName(nameOf: (number: number) => string): string {
  for (let number = 1; number <= MOST; number += 1) {
    const name = nameOf(number);
    if (!isThere(name)) return name;
  }
  throw noFreeName(nameOf(1), MOST);
}

/** Says that names were tried in vain. */
export function noFreeName(first: string, tries: number): Stop {
  return new Stop(
    "failed",
    `No free name: ${first} is taken, and so are the ${tries - 1} names after it. The data was not changed. Move some of these files elsewhere.`,
  );
}
