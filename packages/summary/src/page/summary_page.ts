import type { Summary } from "../document.ts";
import { markup, shortText } from "./markup.ts";
import { otherPaths } from "./other_paths.ts";
import { totalTiles } from "./overview.ts";
import { rangePart } from "./range_part.ts";
import { pageOf, type Served } from "./shell.ts";
import { contentsOf, sourceParts, sourcesOf, sourcesTable } from "./sources.ts";
import { tileList } from "./tiles.ts";

/** Targets that the heading names. */
const NAMED_TARGETS = 3;

/**
 * A summary as one self-contained HTML page: it loads nothing, and its tables are readable without scripts.
 *
 * @returns The text of the file, to be written as UTF-8.
 * @throws {Error} if the package `uplot` is not installed.
 * @example writeFileSync("summary.html", summaryPage(summary));
 */
export function summaryPage(summary: Summary): string {
  return pageFor(summary, undefined);
}

/** The same as a page of a program that serves it, with links to the pages of users. */
export function servedPage(summary: Summary, served: Served): string {
  return pageFor(summary, served);
}

function pageFor(summary: Summary, served: Served | undefined): string {
  const sources = sourcesOf(summary, served);
  const others = otherPaths(summary);
  const tiles = totalTiles(summary);
  return pageOf({
    title: `${shortText(summary.targets.join(", "))}: stored data`,
    program: summary.program,
    made_at: summary.made_at,
    served,
    range: rangePart(summary.range, summary.made_at, served, { note: "Patterns and states are those of all time." }),
    head: markup`<h1>Stored data in ${targetsText(summary.targets)}</h1>
${tiles.length === 0 ? undefined : tileList(tiles)}`,
    contents:
      sources.length + others.length === 0
        ? undefined
        : contentsOf(
            sources,
            others.map(({ link }) => link),
          ),
    main: markup`${
      sources.length === 0
        ? markup`<section class="part"><h2>No data was found</h2><p class="empty">No database, library, state directory or archive of perdura is in ${targetsText(summary.targets)}.</p></section>\n`
        : sourceParts(sources)
    }${
      sources.length < 2
        ? undefined
        : markup`<section class="part"><h2>Sources</h2>${sourcesTable(sources, "Sources", true)}</section>\n`
    }${others.map(({ part }) => part)}`,
  });
}

/** The targets in a sentence. */
export function targetsText(targets: readonly string[]): string {
  if (targets.length === 0) return "no path";
  const named = targets.slice(0, NAMED_TARGETS).map(shortText).join(", ");
  return targets.length > NAMED_TARGETS ? `${named} and ${targets.length - NAMED_TARGETS} more` : named;
}
