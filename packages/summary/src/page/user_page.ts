import { stringifyExact } from "@perdura/internals/json/exact_numbers.js";
import type { UserReport } from "../document.ts";
import { counted, minute, responseTime, wholeNumber } from "./figures.ts";
import { type Markup, markup, nameText, shortText } from "./markup.ts";
import { metricsPart } from "./metrics_part.ts";
import { rangePart } from "./range_part.ts";
import { pageOf, type Served } from "./shell.ts";
import { type Column, dataTable } from "./table.ts";

/** The user of a page, with the database and the program that read it. */
export interface UserPage extends UserReport {
  user_id: string;
  /** Path or address of the database, without a password. */
  path: string;
  program: string;
  made_at: string;
}

/**
 * One user as a self-contained HTML page: figures, charts, breakdowns and the newest operations.
 *
 * @returns The text of the file, to be written as UTF-8.
 */
export function userPage(page: UserPage): string {
  return pageFor(page, undefined);
}

/** The same as a page of a program that serves it, with a link to the page of all data. */
export function servedUserPage(page: UserPage, served: Served): string {
  return pageFor(page, served);
}

function pageFor(
  { user_id, path, program, made_at, range, metrics, interactions }: UserPage,
  served: Served | undefined,
): string {
  return pageOf({
    served,
    title: `${nameText(user_id)}: stored data`,
    program,
    made_at,
    range: rangePart(range, made_at, served, { kept: { database: path, user: user_id } }),
    head: markup`${served === undefined ? undefined : markup`<p><a href="${served.wholePage}">All stored data</a></p>`}<h1>${nameText(user_id)} in ${shortText(path)}</h1>`,
    contents: undefined,
    main: markup`<section class="part source">
${metricsPart(metrics, path)}<h3>Newest operations</h3>
${interactionsTable(interactions, metrics.operations, path)}</section>
`,
  });
}

type Interaction = UserReport["interactions"][number];

function interactionsTable(interactions: readonly Interaction[], operations: number, path: string): Markup {
  const columns: Column<Interaction>[] = [
    { name: "Id", kind: "number", cell: ({ id }) => String(id) },
    { name: "Time", kind: "time", cell: ({ timestamp }) => minute(timestamp) },
    { name: "Result", kind: "text", cell: ({ success }) => (success ? "successful" : "failed") },
    {
      name: "Response",
      kind: "number",
      cell: ({ response_time_ms: time }) => responseTime(time),
      order: ({ response_time_ms: time }) => Number((time ?? Number.NaN).toPrecision(4)),
    },
    { name: "Level", kind: "number", cell: ({ level }) => wholeNumber(level) },
    { name: "Metadata", kind: "text", cell: ({ metadata }) => (metadata === null ? "" : stringifyExact(metadata)) },
  ];
  const note =
    interactions.length < operations
      ? `The newest ${counted(interactions.length, "operation")}, of ${wholeNumber(operations)}.`
      : `All ${counted(operations, "operation")}.`;
  return dataTable({
    name: `Newest operations, ${path}`,
    columns,
    rows: interactions,
    note,
    filter: { label: "Result", value: ({ success }) => (success ? "successful" : "failed") },
  });
}
