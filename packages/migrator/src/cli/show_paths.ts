import { nameOf, textOf } from "@perdura/cli/names.js";
import { countText } from "@perdura/cli/quantities.js";
import type { Paint } from "@perdura/cli/terminal.js";
import { OWN_REASONS } from "../io/own_files.ts";

/** How many things of one kind are listed. */
const LISTED = 10;

interface PathWithReason {
  path: string;
  reason: string;
}

/** Paths under a title, each with its reason. */
export function showPaths(title: string, items: readonly PathWithReason[], paint: Paint): string[] {
  return items.length === 0
    ? []
    : [paint.bold(title), ...atMost(items.map(({ path, reason }) => `  ${nameOf(path)}: ${textOf(reason)}`))];
}

const OWN: ReadonlySet<string> = new Set(Object.values(OWN_REASONS));

/** Files that nothing is done with; those of perdura-migrate itself in one line, for nobody looks for them here. */
export function showLeftAlone(items: readonly PathWithReason[], paint: Paint): string[] {
  const others = items.filter(({ reason }) => !OWN.has(reason));
  const own = items.length - others.length;
  return [
    ...showPaths("left alone", others, paint),
    ...(own === 0
      ? []
      : [
          `${others.length === 0 ? "left alone: " : "  and "}${countText(own, "file")} of perdura-migrate (backups, archives, reports)`,
        ]),
  ];
}

/** The first lines, and how many more there are. */
export function atMost(lines: readonly string[]): string[] {
  const rest = lines.length - LISTED;
  return rest > 0 ? [...lines.slice(0, LISTED), `  and ${rest} more (see --json)`] : [...lines];
}
