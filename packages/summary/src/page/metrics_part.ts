import type { MetricsSummary, UserSummary } from "../document.ts";
import { breakdownParts } from "./breakdown_part.ts";
import { type Bar, barTable } from "./bars.ts";
import { trendCharts } from "./chart_data.ts";
import type { ChartGroup } from "./client/chart_group.ts";
import { drawnCharts } from "./drawn_charts.ts";
import { counted, fraction, minute, moment, percent, responseTime, wholeNumber } from "./figures.ts";
import { dataBlock, type Markup, markup, nameText } from "./markup.ts";
import type { Served } from "./shell.ts";
import { recentPart } from "./recent_part.ts";
import { type Column, dataTable } from "./table.ts";
import { tileList, withUnit } from "./tiles.ts";

/** Metrics of a database: figures, charts by time, figures by keys of the metadata, levels, users. */
export function metricsPart(metrics: MetricsSummary, path: string, served?: Served): Markup {
  if (metrics.operations === 0)
    return markup`<h3>Metrics</h3><p class="empty">The database has a table of interactions, but no operation is recorded.</p>`;
  return markup`<h3>Metrics</h3>
${tileList(metricsTiles(metrics))}${recentPart(metrics, path)}${trendPart(metrics, path)}${breakdownParts(metrics, path)}${distributionsPart(metrics)}<h3>Users</h3>
${usersTable(metrics, path, served)}`;
}

function metricsTiles(metrics: MetricsSummary) {
  const { operations, users, success_rate, avg_response_time_ms: response, first_use, last_use } = metrics;
  return [
    { name: "Operations", value: wholeNumber(operations) },
    { name: "Users", value: wholeNumber(users) },
    { name: "Success rate", value: percent(success_rate) },
    {
      name: "Mean response time",
      value: withUnit(responseTime(response)),
      ...(response === 0 ? { detail: "not recorded" } : p95Detail(metrics)),
    },
    { name: "First operation", value: momentOf(first_use) },
    { name: "Newest operation", value: momentOf(last_use) },
  ];
}

function p95Detail({ percentiles }: MetricsSummary): { detail?: string } {
  return typeof percentiles?.p95 === "number" ? { detail: `p95 ${responseTime(percentiles.p95)}` } : {};
}

/** The day in the size of a figure, the time in a smaller one. */
function momentOf(text: string | null): Markup {
  const [day, time] = moment(text).split(" ");
  return time !== undefined && /^\d{4}-\d\d-\d\d$/.test(day ?? "")
    ? markup`<span class="nowrap">${day}</span> <small>${time.slice(0, 5)}</small>`
    : markup`<small>${moment(text)}</small>`;
}

function trendPart(metrics: MetricsSummary, path: string): Markup {
  const { trend, without_time } = metrics;
  const missing =
    without_time === 0
      ? undefined
      : markup`<p class="alert">${counted(without_time, "operation")} without a readable time ${without_time === 1 ? "is" : "are"} not included in the charts.</p>\n`;
  const group = trendCharts(metrics);
  if (group === undefined)
    return markup`<h3>Over time</h3>
<p class="empty">No operation has a readable time, so there is no trend.</p>${missing}`;
  return markup`<h3>Over time, by ${trend.bucket}</h3>
${missing}${chartsOf(group)}
<details class="values"><summary>Values of the charts as a table</summary>
${periodsTable(metrics, path)}</details>
`;
}

/** The charts of a group, which the script draws, or drawings where no script runs. */
export function chartsOf(group: ChartGroup): Markup {
  return markup`<noscript><p class="note">Without JavaScript, the charts are drawings.</p>
<div class="charts">${drawnCharts(group)}</div></noscript>
<div class="charts">${dataBlock("chart-data", group)}</div>`;
}

function periodsTable({ trend: { bucket, periods }, levels }: MetricsSummary, path: string): Markup {
  type Period = (typeof periods)[number];
  const columns: Column<Period>[] = [
    {
      name: bucket === "week" ? "Week from" : `${bucket[0]?.toUpperCase() ?? ""}${bucket.slice(1)}`,
      kind: "text",
      cell: ({ period }) => moment(period),
    },
    { name: "Operations", kind: "number", cell: (period) => wholeNumber(period.total_operations) },
    { name: "Success", kind: "number", cell: (period) => percent(period.success_rate) },
    responseColumn(),
    ...(periods.some(({ p95 }) => typeof p95 === "number") ? [p95Column()] : []),
    ...(levels === null ? [] : LEVELS).map((level): Column<Period> => ({
      name: `Level ${level}`,
      kind: "number",
      cell: (period) => wholeNumber(period[`level_${level}_count`]),
    })),
  ];
  return dataTable({ name: `Operations by ${bucket}, ${path}`, columns, rows: periods });
}

const LEVELS = [1, 2, 3, 4, 5] as const;

function distributionsPart(metrics: MetricsSummary): Markup {
  const trusts = metrics.top_users.flatMap(({ trust }) => (trust === null ? [] : [trust]));
  const trust =
    trusts.length < 2
      ? undefined
      : markup`<div><h4>Trust of ${counted(trusts.length, "listed user")}</h4>${barTable("Listed users by trust", "Trust", trustBars(trusts))}</div>\n`;
  return markup`<h3>Distributions</h3>
<div class="panels">
<div><h4>Levels of operations</h4>${levelsTable(metrics)}</div>
${trust}</div>
`;
}

/** Number of values in steps of trust of 0.2. */
export function trustBars(trusts: readonly number[]): Bar[] {
  return Array.from({ length: 5 }, (_each, step) => ({
    name: `${(step / 5).toFixed(1)} to ${step === 4 ? "1.0" : `<${((step + 1) / 5).toFixed(1)}`}`,
    value: trusts.filter((trust) => Math.min(4, Math.max(0, Math.floor(trust * 5))) === step).length,
  }));
}

function levelsTable({ levels, other_levels, operations }: MetricsSummary): Markup {
  if (levels === null) return markup`<p class="empty">This layout does not store levels.</p>`;
  const others = other_levels === 0 ? [] : [{ name: "Other or no level", value: other_levels, colour: "c-fail" }];
  const bars = [...levelBars(levels), ...others];
  if (bars.every(({ value }) => value === 0))
    return markup`<p class="empty">None of the ${counted(operations, "operation")} has a level.</p>`;
  return barTable("Operations by level", "Level", bars);
}

/** A bar for each of the levels 1 to 5. */
export function levelBars(counts: readonly number[]): Bar[] {
  return counts.map((value, index) => ({ name: `Level ${index + 1}`, value, colour: `c-level-${index + 1}` }));
}

function usersTable({ top_users: users, users: total }: MetricsSummary, path: string, served?: Served): Markup {
  if (users.length === 0) return markup`<p class="empty">No user is listed.</p>`;
  const has = (key: "trust" | "current_level" | "p95"): boolean => users.some((user) => user[key] !== null);
  const columns: Column<UserSummary>[] = [
    { name: "User", kind: "text", cell: ({ user_id }) => userCell(user_id, path, served) },
    { name: "Operations", kind: "number", cell: (user) => wholeNumber(user.total_operations) },
    { name: "Success", kind: "number", cell: (user) => percent(user.success_rate) },
    responseColumn(),
    ...(has("p95") ? [p95Column()] : []),
    ...(has("current_level")
      ? [
          {
            name: "Level",
            kind: "number",
            cell: (user) => wholeNumber(user.current_level),
          } satisfies Column<UserSummary>,
        ]
      : []),
    ...(has("trust")
      ? [
          {
            name: "Trust",
            kind: "number",
            cell: (user) => fraction(user.trust),
            meter: (user) => user.trust,
          } satisfies Column<UserSummary>,
        ]
      : []),
    { name: "Newest", kind: "time", cell: (user) => minute(user.last_use) },
    { name: "First", kind: "time", cell: (user) => minute(user.first_use) },
  ];
  const note =
    users.length < total
      ? `The ${counted(users.length, "user")} with the most operations, of ${wholeNumber(total)} users.`
      : `All ${counted(total, "user")}.`;
  return dataTable({ name: `Users, ${path}`, columns, rows: users, note });
}

function userCell(user: string, path: string, served: Served | undefined): string | Markup {
  return served === undefined ? nameText(user) : markup`<a href="${served.userPage(path, user)}">${nameText(user)}</a>`;
}

function p95Column<Row extends { p95?: number | null }>(): Column<Row> {
  return {
    name: "p95",
    kind: "number",
    cell: ({ p95 = null }) => responseTime(p95),
    order: ({ p95 }) => Number((p95 ?? Number.NaN).toPrecision(4)),
  };
}

/** The texts have several units, so they are sorted by the values. */
function responseColumn<Row extends { avg_response_time_ms: number }>(): Column<Row> {
  return {
    name: "Response",
    kind: "number",
    cell: ({ avg_response_time_ms: mean }) => responseTime(mean),
    // Fewer digits make the page smaller.
    order: ({ avg_response_time_ms: mean }) => (mean === 0 ? Number.NaN : Number(mean.toPrecision(4))),
  };
}
