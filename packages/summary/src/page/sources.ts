import type { DatabaseSummary, Summary } from "../document.ts";
import { counted, size, wholeNumber } from "./figures.ts";
import { Markup, markup, shortText } from "./markup.ts";
import { metricsPart } from "./metrics_part.ts";
import { patternsPart } from "./patterns_part.ts";
import type { Served } from "./shell.ts";
import { statesPart } from "./states_part.ts";
import { dataTable } from "./table.ts";

/** A database, library, state directory or archive, as a part of the page. */
export interface Source {
  id: string;
  kind: "database" | "library" | "state directory" | "archive";
  path: string;
  /** Path without the folders that all sources are in. */
  name: string;
  bytes: number | null;
  /** Line and layout, or version. */
  layout: string;
  contents: string[];
  part: () => Markup;
}

/** Largest number of sources that are all open at first. */
const OPEN_SOURCES = 6;

/** Metadata that no figure includes. */
function orphansPart(orphans: number): Markup | undefined {
  return orphans === 0
    ? undefined
    : markup`<p class="alert">${counted(orphans, "metadata text")} without an interaction ${orphans === 1 ? "was" : "were"} left by another program.</p>\n`;
}

/** Rows that a migration could not bring to version 16. */
function quarantinePart(rows: DatabaseSummary["quarantined"]): Markup | undefined {
  if (rows.length === 0) return undefined;
  return markup`<h3>Quarantine</h3>${dataTable({
    name: "Rows in quarantine",
    note: "A migration moved these rows to the table perdura_quarantine. They are not included in the figures.",
    columns: [
      { name: "Table", kind: "text", cell: ({ table }) => table },
      { name: "Reason", kind: "text", cell: ({ reason }) => reason },
      {
        name: "Rows",
        kind: "number",
        cell: ({ rows: number }) => wholeNumber(number),
        order: ({ rows: number }) => number,
      },
    ],
    rows,
  })}
`;
}

/** Everything with data in a summary, in its order, but the databases with most operations first. */
export function sourcesOf(summary: Summary, served?: Served): Source[] {
  const found: Omit<Source, "id" | "name">[] = [
    ...summary.databases
      .toSorted(byOperations)
      .map(({ path, bytes, line, layout, metrics, patterns, orphaned_metadata: orphans, quarantined }) => ({
        kind: "database" as const,
        path,
        bytes,
        layout: [...(line === null ? [] : [`${line} line`]), layout].join(", "),
        contents: [
          ...(metrics === null
            ? []
            : metrics.operations === 0
              ? ["no operations"]
              : [`${counted(metrics.operations, "operation")} of ${counted(metrics.users, "user")}`]),
          ...(patterns ? [counted(patterns.patterns, "pattern")] : []),
        ],
        part: () =>
          metrics || patterns
            ? markup`${metrics ? metricsPart(metrics, path, served) : undefined}${patterns ? patternsPart(patterns, path) : undefined}${orphansPart(orphans)}${quarantinePart(quarantined)}`
            : markup`<p class="empty">The database has neither metrics nor patterns.</p>`,
      })),
    ...summary.libraries.map(({ path, bytes, patterns }) => ({
      kind: "library" as const,
      path,
      bytes,
      layout: "pattern library in JSON",
      contents: [counted(patterns.patterns, "pattern")],
      part: () => patternsPart(patterns, path),
    })),
    ...(["state directory", "archive"] as const).flatMap((kind) =>
      (kind === "archive" ? summary.archives : summary.state_directories).map((states) => ({
        kind,
        path: states.path,
        bytes: null,
        layout: "pre-16 line",
        contents: [counted(states.states, "state")],
        part: () => statesPart(states),
      })),
    ),
  ];
  const folder = commonFolder(found.map(({ path }) => path));
  return found.map((source, index) => ({
    ...source,
    id: `source-${index + 1}`,
    name: source.path.includes("://") ? source.path : source.path.slice(folder.length),
  }));
}

function byOperations(one: DatabaseSummary, other: DatabaseSummary): number {
  return (other.metrics?.operations ?? 0) - (one.metrics?.operations ?? 0);
}

/** The folder with a final slash that contains all paths; empty if they have none in common. */
function commonFolder(paths: readonly string[]): string {
  const [first = ""] = paths;
  const slashes = [...first.matchAll(/[\\/]/g)].map(({ index }) => first.slice(0, index + 1));
  return slashes.findLast((folder) => paths.every((path) => path.startsWith(folder))) ?? "";
}

/** Links to the sources and to the lists at the end of the page. */
export function contentsOf(sources: readonly Source[], others: readonly Markup[]): Markup {
  const groups = (["database", "library", "state directory", "archive"] as const).map((kind) => ({
    kind,
    listed: sources.filter((source) => source.kind === kind),
  }));
  const plural = {
    database: "Databases",
    library: "Libraries",
    "state directory": "State directories",
    archive: "Archives",
  };
  return markup`${groups
    .filter(({ listed }) => listed.length > 0)
    .map(
      ({ kind, listed }) =>
        markup`<h2>${plural[kind]}</h2><ul>${listed.map(
          ({ id, name, contents }) =>
            markup`<li><a href="#${id}">${shortText(name)}<small>${contents.join(", ") || "no data"}</small></a></li>`,
        )}</ul>\n`,
    )}${others.length === 0 ? undefined : markup`<h2>Other paths</h2><ul>${others}</ul>\n`}`;
}

/** Each source as a part that can be closed. Of many, only the first one is open. */
export function sourceParts(sources: readonly Source[]): Markup[] {
  return sources.map(({ id, kind, name, path, bytes, layout, contents, part }, index) => {
    const facts = [kind, layout, ...(bytes === null ? [] : [size(bytes)]), ...contents];
    const isOpen = sources.length <= OPEN_SOURCES || index === 0;
    return markup`<section class="part" id="${id}" aria-labelledby="${id}-name"><details class="source"${isOpen ? new Markup(" open") : undefined}><summary><div><h2 id="${id}-name">${shortText(name)}</h2><p class="facts-line">${facts.join(" · ")}${name === path ? undefined : markup`<br>${shortText(path)}`}</p></div></summary>
${part()}</details></section>
`;
  });
}

/** Everything that was found, as a table, with links to the parts if the page has them. */
export function sourcesTable(sources: readonly Source[], name: string, linked: boolean): Markup {
  return dataTable({
    name,
    columns: [
      {
        name: "Name",
        kind: "text",
        cell: (source) => (linked ? markup`<a href="#${source.id}">${shortText(source.name)}</a>` : source.path),
      },
      { name: "Kind", kind: "text", cell: ({ kind }) => kind },
      { name: "Contents", kind: "text", cell: ({ contents }) => contents.join(", ") || "no data" },
      { name: "Layout", kind: "text", cell: ({ layout }) => layout },
      { name: "Size", kind: "number", cell: ({ bytes }) => size(bytes), order: ({ bytes }) => bytes ?? Number.NaN },
    ],
    rows: sources,
  });
}
