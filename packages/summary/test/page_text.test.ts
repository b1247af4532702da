import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BreakdownRow } from "@perdura/internals/metrics/breakdown/breakdown.js";
import type { Comparison, Summary } from "../src/document.ts";
import type { ChartGroup } from "../src/page/client/chart_group.ts";
import { comparisonPage } from "../src/page/comparison_page.ts";
import { summaryPage } from "../src/page/summary_page.ts";
import { anyComparison, anySummary, HOSTILE, hostileSummary } from "./hostile_summaries.ts";
import { emptySummary, richSummary, sampleComparison, sampleDatabase, sampleMetrics } from "./sample_summaries.ts";

const RUNS = Number(process.env["PERDURA_RUNS"] ?? 1);
/** The document without the style and the scripts, which contain no data. */
const bodyOf = (page: string): string => page.replaceAll(/<(style|script)>[^]*?<\/\1>/g, "");
const withMetrics = (metrics: Partial<ReturnType<typeof sampleMetrics>>): Summary => ({
  ...emptySummary(),
  databases: [sampleDatabase("data/metrics.db", { metrics: { ...sampleMetrics({ days: 20, users: 5 }), ...metrics } })],
});

describe("the policy of the pages", () => {
  it.each([
    ["summary", summaryPage(richSummary())],
    ["comparison", comparisonPage(sampleComparison())],
  ])("of a %s allows its own style and scripts by their hashes, and nothing else", (_name, page) => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1];
    const hashes = (tag: string): string[] =>
      [...page.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, "g"))].map(
        ([, text]) =>
          `'sha256-${createHash("sha256")
            .update(text as string)
            .digest("base64")}'`,
      );
    expect(hashes("script")).toHaveLength(2);
    expect(policy).toBe(
      `default-src 'none'; style-src ${hashes("style").join(" ")}; script-src ${hashes("script").join(" ")}; base-uri 'none'; form-action 'none'`,
    );
    expect(bodyOf(page)).not.toMatch(/ (?:src|style|on[a-z]+)=|@import|url\(/);
  });
});

it("the page contains uPlot with its licence", () => {
  const licence = readFileSync(createRequire(import.meta.url).resolve("uplot/LICENSE"), "utf8").trim();
  expect(licence).toContain("The above copyright notice and this permission notice shall be included");
  expect(summaryPage(emptySummary())).toContain(licence);
});

describe("hostile data", () => {
  function expectIntact(page: string): void {
    expect(page.isWellFormed()).toBe(true);
    const body = bodyOf(page);
    expect(body).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]/,
    );
    expect(body).not.toMatch(/<\/?x-evil|<!--/i);
    const blocks = [...body.matchAll(/<script type="application\/json" class="chart-data">([^<]*)<\/script>/g)];
    for (const [, json] of blocks) JSON.parse(json as string);
    expect(body.match(/<script/gi) ?? []).toHaveLength(blocks.length);
    expect(page.match(/<\/script/gi) ?? []).toHaveLength(blocks.length + 2);
  }

  it("cannot break a summary", () => {
    fc.assert(
      fc.property(anySummary, (summary) => expectIntact(summaryPage(summary))),
      { numRuns: 60 * RUNS },
    );
  });

  it("cannot break a comparison", () => {
    fc.assert(
      fc.property(anyComparison, (comparison) => expectIntact(comparisonPage(comparison))),
      { numRuns: 40 * RUNS },
    );
  });

  it("stays visible, and long texts are cut", () => {
    const page = summaryPage(hostileSummary(HOSTILE));
    for (const text of ["&lt;/script&gt;&lt;script&gt;", "\\u202eevil", "\\ud800 lone \\udfff", "__proto__", "… "])
      expect(page).toContain(text);
    expect(page).toContain("(20,003 characters)");
    expect(page.length).toBeLessThan(200_000);
  });
});

describe("the size of a page", () => {
  it("is below 700 kB with 400 periods, 1000 users, 50 trajectories and 1000 patterns", () => {
    const large = richSummary({ days: 400, users: 1000, trajectories: 50, patterns: 1000 });
    const page = summaryPage({
      ...large,
      databases: large.databases.slice(0, 2),
      libraries: [],
      state_directories: [],
    });
    expect(Buffer.byteLength(page)).toBeLessThan(700_000);
  });

  it("is below 110 kB without data", () => {
    expect(Buffer.byteLength(summaryPage(emptySummary()))).toBeLessThan(110_000);
  });
});

describe("what a summary reports", () => {
  it("nothing was found", () => {
    const page = summaryPage(emptySummary());
    expect(page).not.toContain("<nav");
    expect(page).toContain("No data was found");
    expect(page).not.toContain('class="tiles"');
  });

  it("metrics without operations, without a trend, without levels, and with operations that have no time", () => {
    expect(summaryPage(withMetrics({ operations: 0, users: 0 }))).toContain("no operation is recorded");
    const none = summaryPage(withMetrics({ trend: { bucket: "day", periods: [] }, without_time: 1 }));
    expect(none).toContain("No operation has a readable time, so there is no trend.");
    expect(none).toContain("1 operation without a readable time is not included in the charts.");
    expect(bodyOf(none)).not.toContain("chart-data");
    expect(summaryPage(withMetrics({ levels: null }))).toContain("This layout does not store levels.");
    expect(summaryPage(withMetrics({ levels: [0, 0, 0, 0, 0] }))).toMatch(
      /None of the [\d,]+ operations has a level\./,
    );
    expect(summaryPage(withMetrics({ avg_response_time_ms: 0 }))).toContain("not recorded");
  });

  it("figures by the values of a key: failures as bars, a row for each value, and keys that were not counted", () => {
    const figures = { success_rate: 0.75, avg_response_time_ms: 20, p50: 10, p95: 1500, p99: null };
    const values: BreakdownRow[] = [
      { value: "search", total_operations: 400, ...figures },
      { value: true, total_operations: 8, ...figures, success_rate: 1 },
      { value: null, total_operations: 4, ...figures },
      { others: 1204, total_operations: 2408, ...figures },
    ];
    const page = bodyOf(
      summaryPage(
        withMetrics({
          breakdowns: [
            { key: "tool", values, recent: null },
            { key: "model", values: null, recent: null },
            {
              key: "region",
              values: [{ value: "eu", total_operations: 3, ...figures, success_rate: 1 }],
              recent: null,
            },
          ],
        }),
      ),
    );
    expect(page).toContain("<h3>By tool</h3>");
    expect(page).toMatch(/Failed operations by tool.*\(1,204 other values\)<\/th>.*<td>602<\/td>/s);
    const rows = [...page.matchAll(/<tr><th scope="row">[^<]*(?:<td[^>]*>[^<]*)+/g)].map(([row]) =>
      row
        .split(/<[^>]*>/)
        .slice(2)
        .map((cell) => cell.trim()),
    );
    expect(rows).toContainEqual(["search", "400", "100", "75.0%", "20 ms", "10 ms", "1.5 s", "–"]);
    expect(page).toMatch(
      /<h3>By model<\/h3>\s*<p class="empty">Not counted: the database has more than 100,000 operations\./,
    );
    expect(page).toContain("<h3>By region</h3>");
    expect(page).not.toContain("Failed operations by region");
  });

  it("each chart also as a drawing, whatever its values are", () => {
    for (const summary of [richSummary(), hostileSummary(HOSTILE, -1), hostileSummary(HOSTILE, 1e300)]) {
      const page = summaryPage(summary);
      const drawings = [...page.matchAll(/<svg class="drawn"[^]*?<\/svg>/g)].map(([drawing]) => drawing);
      const groups = [...page.matchAll(/class="chart-data">([^<]*)</g)].map(
        ([, text]) => (JSON.parse(text as string) as ChartGroup).charts.length,
      );
      expect(drawings).toHaveLength(groups.reduce((sum, charts) => sum + charts, 0));
      for (const drawing of drawings) {
        expect(drawing).not.toMatch(/NaN|Infinity|undefined/);
        for (const [, path] of drawing.matchAll(/ d="([^"]*)"/g))
          for (const [, height] of path!.matchAll(/[ V](-?[\d.]+)/g)) {
            expect(Number(height)).toBeGreaterThanOrEqual(0);
            expect(Number(height)).toBeLessThanOrEqual(150);
          }
      }
    }
  });

  it("a database without operations", () => {
    const page = summaryPage(withMetrics({ operations: 0, users: 0 }));
    expect(page).toContain("<small>no operations</small>");
    expect(page).not.toContain("0 operations");
  });

  it("names that would be invisible, in the tables and in the charts", () => {
    const [user] = sampleMetrics({ days: 20 }).top_users;
    const page = summaryPage(
      withMetrics({ top_users: ["", "  ", "a b"].map((user_id) => ({ ...user!, user_id })), users: 3 }),
    );
    const names = [...page.matchAll(/<tr><th scope="row">([^<]*)<td/g)].map(([, name]) => name);
    expect(names.slice(-3)).toEqual(["(empty)", "\\u0020\\u0020", "a b"]);
    expect(
      chartsIn(page)
        .charts.at(-1)!
        .series.map(({ name }) => name),
    ).toEqual(names.slice(-3));
  });

  it("of many sources, the one with the most operations is open", () => {
    const small = { ...sampleMetrics({ days: 5 }), operations: 10 };
    const names = ["a.db", "b.db", "c.db", "d.db", "e.db", "f.db", "g.db"];
    const databases = names.map((name) =>
      sampleDatabase(name, { metrics: name === "c.db" ? { ...small, operations: 11 } : small }),
    );
    const open = (page: string): (string | undefined)[] =>
      [...page.matchAll(/<details class="source" open><summary><div><h2[^>]*>(.*?)<\/h2>/g)].map(([, name]) => name);
    expect(open(summaryPage({ ...emptySummary(), databases }))).toEqual(["c.db"]);
    expect(open(summaryPage({ ...emptySummary(), databases: databases.slice(0, 6) }))).toEqual([
      "c.db",
      "a.db",
      "b.db",
      "d.db",
      "e.db",
      "f.db",
    ]);
  });

  it("a response time that has not changed", () => {
    const { recent } = sampleMetrics({ days: 20 });
    const page = summaryPage(withMetrics({ recent: { ...recent!, now: recent!.before } }));
    expect(page).toMatch(/<th scope="row">All operations<.*<td data-order=0>0%\n/);
  });

  it("one single period is drawn", () => {
    const [period] = sampleMetrics({ days: 1 }).trend.periods;
    const group = chartsIn(summaryPage(withMetrics({ trend: { bucket: "week", periods: [period!] } })));
    expect(group).toMatchObject({ bucket: "week", x: [Date.UTC(2025, 0, 6) / 1000] });
  });

  it("periods without operations have gaps in the lines, and no more of them than make sense", () => {
    const { periods } = sampleMetrics({ days: 4 }).trend;
    const apart = [periods[0]!, { ...periods[1]!, period: "2025-01-09" }];
    const { x, charts } = chartsIn(summaryPage(withMetrics({ trend: { bucket: "day", periods: apart } })));
    expect(x).toEqual([6, 7, 8, 9].map((day) => Date.UTC(2025, 0, day) / 1000));
    expect(charts[0]?.series[1]?.values).toEqual([expect.any(Number), 0, 0, expect.any(Number)]);
    expect(charts[1]?.series[0]?.values).toEqual([expect.any(Number), null, null, expect.any(Number)]);
    const century = [{ ...periods[0]!, period: "1925-01-01" }, periods[1]!];
    expect(chartsIn(summaryPage(withMetrics({ trend: { bucket: "day", periods: century } }))).x).toHaveLength(2);
  });

  it("a rate that is almost 1 is not drawn as 1", () => {
    const [period] = sampleMetrics({ days: 1 }).trend.periods;
    const periods = [{ ...period!, total_operations: 1_000_000, success_rate: 0.999_999 }];
    const { charts } = chartsIn(summaryPage(withMetrics({ trend: { bucket: "day", periods } })));
    expect(charts[1]?.series[0]?.values).toEqual([0.9999]);
  });

  it("tables say if they do not contain all rows", () => {
    const page = summaryPage(richSummary({ users: 60 }));
    expect(page).toContain("The 60 users with the most operations, of 300 users.");
    expect(page).toContain("The 90 patterns with the most uses, of 102 patterns.");
    expect(page).toContain("All 14 patterns.");
  });
});

describe("users of several databases", () => {
  const tilesIn = (page: string): Map<string, string> =>
    new Map(
      [...page.matchAll(/<div class="tile[^"]*"><dt>(.*?)<\/dt><dd>(.*?)<\/dd>(?:<dd class="detail">(.*?)<\/dd>)?/g)]
        .toReversed()
        .map(([, name = "", value = "", detail = ""]) => [name, `${value}, ${detail}`]),
    );
  const database = (path: string, users: readonly string[], listed = users.length) => {
    const sample = sampleMetrics({ days: 20, users: users.length, trajectories: 0 });
    const top_users = sample.top_users.map((user, index) => ({ ...user, user_id: users[index]! })).slice(0, listed);
    return sampleDatabase(path, { metrics: { ...sample, users: users.length, operations: 100, top_users } });
  };
  const summaryOf = (...databases: Summary["databases"]): Summary => ({ ...emptySummary(), databases });
  const [one, two] = [database("one.db", ["ada", "bob", "eve"]), database("two.db", ["bob", "eve", "mia"])];
  const [partly] = [database("part.db", ["bob", "eve", "mia"], 2)];

  it("are counted once if all users are listed", () => {
    expect(tilesIn(summaryPage(summaryOf(one, two))).get("Operations")).toBe("200, of 4 users in 2 databases");
    expect(tilesIn(summaryPage(summaryOf(one))).get("Operations")).toBe("100, of 3 users");
  });

  it("are not added if some are not listed: a user of both databases would count twice", () => {
    expect(tilesIn(summaryPage(summaryOf(one, partly))).get("Operations")).toBe("200, in 2 databases");
    expect(tilesIn(summaryPage(summaryOf(partly))).get("Operations")).toBe("100, of 3 users");
  });

  it("are compared only if both sides know their number", () => {
    const compared = (before: Summary, after: Summary) =>
      tilesIn(comparisonPage({ ...sampleComparison(), before, after })).get("Users");
    expect(compared(summaryOf(one, two), summaryOf(partly))).toBe("3, before: 4");
    expect(compared(summaryOf(one), summaryOf(one))).toBe("3, the same before");
    expect(compared(summaryOf(one, partly), summaryOf(one))).toBeUndefined();
  });
});

describe("patterns of several sources", () => {
  it("are counted once, and their uses are not added", () => {
    const page = summaryPage(richSummary());
    expect(page).toContain('<dt>Patterns</dt><dd>102</dd><dd class="detail">in 3 sources</dd>');
  });
});

describe("the verdict of a comparison", () => {
  const headline = (comparison: Comparison): string =>
    /<h1><em>(.*?)<\/em>/.exec(comparisonPage(comparison))?.[1] ?? "";
  const [fact] = sampleComparison().facts;

  it.each([
    ["Nothing is missing", sampleComparison()],
    [/^[\d,]+ rows of metrics are missing$/, sampleComparison({ complete: false })],
    ["1 fact is missing, 1 fact has changed", { ...sampleComparison({ complete: false }), compared: [] }],
    ["Nothing was compared", { ...sampleComparison(), facts: [] }],
    ["The comparison is incomplete", { ...sampleComparison(), facts: [], complete: false }],
    ["The data after is not complete", { ...sampleComparison(), facts: [fact!], complete: false }],
  ])("%s", (expected, comparison) =>
    expect(headline(comparison)).toEqual(typeof expected === "string" ? expected : expect.stringMatching(expected)),
  );

  it("lists missing and changed facts first, and names paths that were not compared", () => {
    const comparison = sampleComparison({ complete: false });
    comparison.after.unreadable.push({ path: "/srv/locked.db", reason: "permission denied" });
    const page = comparisonPage(comparison);
    const results = [...page.matchAll(/<span class="result (\w+)">/g)].map(([, result]) => result);
    expect(results.slice(0, 4)).toEqual(["missing", "changed", "added", "same"]);
    expect(page).toContain("1 path could not be read");
    expect(page).toContain("/srv/locked.db");
  });
});

function chartsIn(page: string): {
  bucket: string;
  x: number[];
  charts: { series: { name: string; values: unknown[] }[] }[];
} {
  const json = /class="chart-data">([^<]*)</.exec(page)?.[1];
  return JSON.parse(json as string) as ReturnType<typeof chartsIn>;
}
