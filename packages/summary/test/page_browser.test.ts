import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import fc from "fast-check";
import type { Browser, Page } from "playwright-core";
import { build } from "tsdown";
import { afterAll, describe, expect, it } from "vitest";
import { accessibilityFaults } from "../../../test/browser/accessibility.ts";
import { launch, NO_BROWSER } from "../../../test/browser/launch.ts";
import { foreignContent, watchedPage } from "../../../test/browser/watched_page.ts";
import { bundle } from "../../../dev/tools/bundle.ts";
import { comparisonPage } from "../src/page/comparison_page.ts";
import { summaryPage } from "../src/page/summary_page.ts";
import { userPage } from "../src/page/user_page.ts";
import { anyComparison, anySummary, crowdedSummary, HOSTILE, hostileSummary } from "./hostile_summaries.ts";
import {
  emptySummary,
  richSummary,
  sampleComparison,
  sampleDatabase,
  sampleMetrics,
  sampleUserPage,
} from "./sample_summaries.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { needs } from "../../../test/needs.ts";

const PAGES = {
  "a summary": () => summaryPage(richSummary()),
  "an empty summary": () => summaryPage(emptySummary()),
  "a complete comparison": () => comparisonPage(sampleComparison()),
  "an incomplete comparison": () => comparisonPage(sampleComparison({ complete: false })),
  "the page of a user": () => userPage(sampleUserPage()),
} as const;
const NAMES = Object.keys(PAGES) as (keyof typeof PAGES)[];

/** Records the texts that a canvas shows, with their positions in the page. */
const RECORD_TEXTS = `{
  const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...area) {
    this.canvas.shownTexts = [];
    return clearRect.apply(this, area);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, x, ...rest) {
    this.canvas.shownTexts.push({ text, x: x / devicePixelRatio });
    return fillText.call(this, text, x, ...rest);
  };
}`;

/** The page of a database whose trend has these periods. */
function pageOfPeriods(bucket: "hour" | "day" | "week" | "month", starts: readonly string[], response = 250): string {
  const sample = sampleMetrics({ days: Math.max(starts.length, 5), users: 2, trajectories: 0 });
  const periods = starts.map((period, index) => ({
    ...sample.trend.periods[index]!,
    period,
    avg_response_time_ms: response,
    p95: null,
  }));
  const metrics = {
    ...sample,
    avg_response_time_ms: response,
    percentiles: null,
    recent: null,
    trend: { bucket, periods },
  };
  return summaryPage({ ...emptySummary(), databases: [sampleDatabase("metrics.db", { metrics })] });
}

describe("the pages in a browser", needs("browser", NO_BROWSER), () => {
  const folder = freshFolder();
  let browser: Browser | undefined;
  let opened = 0;
  afterAll(async () => {
    await browser?.close();
  });

  const nextFile = (): string => join(folder, `page-${(opened += 1)}.html`);

  async function open(html: string, options: Parameters<typeof watchedPage>[3] = {}) {
    // Not in beforeAll: if a browser is required and missing, every test must fail.
    browser ??= await launch();
    return watchedPage(browser, nextFile(), html, {
      viewport: { width: 1280, height: 900 },
      script: RECORD_TEXTS,
      ...options,
    });
  }
  const table = (page: Page, name: string) => page.locator(`.data-table[data-name="${name}"]`);
  const USERS = "Users, /srv/agents/data/metrics.db";
  const firstCells = (page: Page, name: string): Promise<string[]> =>
    table(page, name).locator("tbody th").allInnerTexts();

  it.each(NAMES)("%s has no console message, and loads nothing", async (name) => {
    const { page, complaints, close } = await open(PAGES[name]());
    await page.locator("#theme").click();
    expect(complaints).toEqual([]);
    await close();
  });

  it("a page of the bundled code draws its charts, and its tables are sorted", async () => {
    const cwd = fileURLToPath(new URL("../", import.meta.url));
    // Below the package, where its dependencies are found.
    const outDir = join(cwd, "node_modules", ".cache", `page-${process.pid}`);
    const settings = bundle({ page: "src/page/summary_page.ts" });
    await build({ ...settings, config: false, logLevel: "silent", cwd, outDir, dts: false });
    const built = (await import(pathToFileURL(join(outDir, "page.js")).href)) as { summaryPage: typeof summaryPage };
    rmSync(outDir, { recursive: true });
    const { page, complaints, close } = await open(built.summaryPage(richSummary()));
    await page.locator(".charts canvas").first().waitFor();
    expect(await page.locator(".data-table [aria-sort]").count()).toBeGreaterThan(20);
    expect(await page.locator(".chooser").count()).toBe(2);
    expect(complaints).toEqual([]);
    await close();
  });

  it("draws the charts in the locale C, in which Chromium's language is not a language tag", async () => {
    const { page, close } = await open(summaryPage(richSummary()), {
      script: "Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })",
    });
    expect(await page.locator(".charts canvas").count()).toBeGreaterThan(5);
    await close();
  });

  it.each(NAMES)("%s fits a width of 360 pixels", async (name) => {
    const { page, close } = await open(PAGES[name](), { viewport: { width: 360, height: 800 }, hasTouch: true });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    await close();
  });

  it("hostile data fits 360 pixels, runs nothing and adds no element", async () => {
    const { page, complaints, close } = await open(summaryPage(hostileSummary(HOSTILE)), {
      viewport: { width: 360, height: 800 },
    });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    expect(await page.locator("x-evil, img, iframe, object, [onclick], [onmouseover]").count()).toBe(0);
    expect(await page.evaluate("'stolen' in globalThis")).toBe(false);
    expect(complaints).toEqual([]);
    await close();
  });

  it("any data is shown without a console message", async () => {
    const pages = fc.oneof(anySummary.map(summaryPage), anyComparison.map(comparisonPage));
    await fc.assert(
      fc.asyncProperty(pages, async (html) => {
        const { page, complaints, close } = await open(html);
        expect([...complaints, ...(await foreignContent(page))]).toEqual([]);
        await close();
      }),
      // Each run opens a page: shrinking would take minutes.
      { numRuns: 8 * Number(process.env["PERDURA_RUNS"] ?? 1), endOnFailure: true },
    );
  });

  it.each(NAMES.flatMap((name) => (["light", "dark"] as const).map((colorScheme) => ({ name, colorScheme }))))(
    "axe finds nothing serious in $name, $colorScheme",
    async ({ name, colorScheme }) => {
      const { page, close } = await open(PAGES[name](), { colorScheme });
      await page.locator("details:not([open]) > summary").evaluateAll((all) => all.forEach((one) => one.click()));
      expect(await accessibilityFaults(page)).toEqual([]);
      await close();
    },
  );

  it("follows the colours of the system, and the button changes them, also in the charts", async () => {
    const { page, close } = await open(PAGES["a summary"](), { colorScheme: "dark" });
    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    // The colour of the line at the lower end of the chart, for example.
    const pixels = () =>
      page
        .locator(".chart canvas")
        .nth(1)
        .evaluate((canvas) => canvas.toDataURL());
    const [dark, drawn] = [await background(), await pixels()];
    await page.getByRole("button", { name: "Switch to light colours" }).click();
    expect(await background()).not.toBe(dark);
    await expect.poll(pixels).not.toBe(drawn);
    await close();
  });

  it("draws a chart for each series of values, and draws again if the width changes", async () => {
    const { page, close } = await open(PAGES["a summary"]());
    const first = page.locator(".charts").first();
    await expect.poll(() => first.locator("canvas").count()).toBe(5);
    expect(await first.locator(".title").allInnerTexts()).toEqual([
      "Operations",
      "Success rate",
      "Response time",
      "Share of levels",
      "Trust of users",
    ]);
    const ink = await first.locator("canvas").evaluateAll((all) =>
      all.map((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return new Set(data).size;
      }),
    );
    for (const colours of ink) expect(colours).toBeGreaterThan(10);
    const width = () =>
      first
        .locator("canvas")
        .first()
        .evaluate((canvas) => canvas.getBoundingClientRect().width);
    const before = await width();
    await page.setViewportSize({ width: 500, height: 900 });
    await expect.poll(width).toBeLessThan(before);
    await close();
  });

  /** Texts of the axes of a chart, and the middle of its area, in pixels from its left side. */
  async function axesOf(page: Page, title: string) {
    const chart = page.locator(".chart", { hasText: title }).first();
    await chart.locator("canvas").waitFor();
    const texts: { text: string; x: number }[] = await chart
      .locator("canvas")
      .evaluate((canvas) => (canvas as unknown as { shownTexts: { text: string; x: number }[] }).shownTexts);
    const width = await chart.locator(".u-over").evaluate((area) => [area.offsetLeft, area.offsetWidth] as const);
    return { texts, middle: width[0] + width[1] / 2, isTime: ({ x }: { x: number }) => x >= width[0] };
  }

  it.each([
    ["hour", "2025-01-06T14:00:00", ["14:00", "6 Jan"]],
    ["day", "2025-01-06", ["6 Jan", "2025"]],
    ["week", "2025-01-06", ["6 Jan", "2025"]],
    ["month", "2025-01-01", ["Jan", "2025"]],
  ] as const)("a single %s is in the middle of its charts, with its name below", async (bucket, start, label) => {
    const { page, complaints, close } = await open(pageOfPeriods(bucket, [start]));
    for (const title of ["Operations", "Success rate"]) {
      const { texts, middle, isTime } = await axesOf(page, title);
      expect(texts.filter(isTime).map(({ text }) => text)).toEqual(label);
      for (const { x } of texts.filter(isTime)) expect(Math.abs(x - middle)).toBeLessThan(2);
    }
    expect(await page.getByRole("slider", { name: `Operations, 1 ${bucket}`, exact: true }).count()).toBe(1);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each([
    ["two weeks", "week", ["2025-01-06", "2025-01-13"], ["6 Jan", "2025", "13 Jan"]],
    ["two days, a century apart", "day", ["1925-01-01", "2025-01-07"], ["1 Jan", "1925", "7 Jan", "2025"]],
    ["three months", "month", ["2024-11-01", "2024-12-01", "2025-01-01"], ["Nov", "2024", "Dec", "Jan", "2025"]],
  ] as const)("each of %s has its name below it", async (_name, bucket, starts, labels) => {
    const { page, close } = await open(pageOfPeriods(bucket, starts));
    const { texts, middle, isTime } = await axesOf(page, "Operations");
    const shown = texts.filter(isTime);
    expect(shown.map(({ text }) => text)).toEqual(labels);
    expect(Math.abs((shown[0]!.x + shown.at(-1)!.x) / 2 - middle)).toBeLessThan(10);
    await close();
  });

  it.each([
    [0.02, "0.02 ms", "0.01 ms"],
    [250, "250 ms", "200 ms"],
    [65_000, "65 s", "40 s"],
    [4e6, "66.7 min", "40 min"],
    [1e9, "11.6 days", "10 days"],
    [1e20, "3.17B years", "2B years"],
    [1e300, "3.2e289 years", undefined],
  ])("response times of %d ms are in a unit that suits them, in texts and on the axis", async (mean, text, onAxis) => {
    const html = pageOfPeriods("day", ["2025-01-06", "2025-01-07"], mean);
    const { page, complaints, close } = await open(html, { viewport: { width: 360, height: 800 } });
    for (const tile of await page.locator(".tile", { hasText: "Mean response time" }).all()) {
      expect(await tile.locator("dd").first().innerText()).toBe(text);
      expect(await tile.locator("dd").evaluateAll((all) => all.map((one) => one.getClientRects().length))).toEqual([1]);
      expect(await tile.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    }
    const chart = page.locator(".chart", { hasText: "Response time" });
    expect(await chart.locator(".legend b").innerText()).toBe(text);
    const { texts, isTime } = await axesOf(page, "Response time");
    const labels = texts.filter((label) => !isTime(label)).map((label) => label.text);
    if (onAxis !== undefined) expect(labels).toContain(onAxis);
    const units = new Set(labels.map((label) => label.split(" ")[1]?.replace(/s$/, "")));
    expect(units.size).toBe(onAxis === undefined ? 0 : 1);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    expect(complaints).toEqual([]);
    await close();
  });

  it("response times are sorted by their values", async () => {
    const summary = richSummary();
    const users = summary.databases[0]!.metrics!.top_users;
    users[0]!.avg_response_time_ms = 90_000;
    users[1]!.avg_response_time_ms = 2e6;
    users[2]!.avg_response_time_ms = 0;
    const { page, close } = await open(summaryPage(summary));
    const times = async () => table(page, USERS).locator("tbody td:nth-child(4)").allInnerTexts();
    await table(page, USERS).getByRole("button", { name: "Response" }).click();
    expect((await times()).slice(0, 2)).toEqual(["33.3 min", "90 s"]);
    await table(page, USERS).getByRole("button", { name: "Show all 60 rows" }).click();
    expect((await times()).at(-1)).toBe("–");
    await close();
  });

  it("a range that is selected between two periods shows both", async () => {
    const { page, close } = await open(pageOfPeriods("day", ["2025-01-06", "2025-01-07", "2025-01-08"]));
    const area = page.locator(".u-over").first();
    await area.scrollIntoViewIfNeeded();
    const box = (await area.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.25, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.4, box.y + 40, { steps: 4 });
    await page.mouse.up();
    const lastLabels = async () => (await axesOf(page, "Operations")).texts.map(({ text }) => text);
    await expect.poll(lastLabels).toEqual(expect.arrayContaining(["6 Jan", "7 Jan"]));
    expect(await lastLabels()).not.toContain("8 Jan");
    await close();
  });

  it("the arrow keys and the pointer show the values of a period in all charts of a database", async () => {
    const { page, close } = await open(PAGES["a summary"]());
    const charts = page.locator(".charts").first();
    const operations = charts.getByRole("slider", { name: /^Operations, 180 days/ });
    await operations.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    expect(await operations.getAttribute("aria-valuetext")).toMatch(/^2025-01-07: successful \d+, failed \d+$/);
    expect(await operations.getAttribute("aria-valuenow")).toBe("2");
    expect(new Set(await charts.locator(".when").allInnerTexts())).toEqual(new Set(["2025-01-07"]));
    await charts
      .locator(".u-over")
      .nth(1)
      .hover({ position: { x: 200, y: 40 } });
    await expect.poll(() => operations.getAttribute("aria-valuetext")).not.toContain("2025-01-07");
    await close();
  });

  it("the range of time is chosen in a field or by dragging", async () => {
    const { page, close } = await open(PAGES["a summary"]());
    const range = page.getByLabel("Range").first();
    const chart = page.locator(".charts").first().locator("canvas").nth(1);
    const drawn = () => chart.evaluate((canvas) => canvas.toDataURL());
    const all = await drawn();
    await range.selectOption({ label: "last 30 days" });
    await expect.poll(drawn).not.toBe(all);
    await range.selectOption({ label: "all 180 days" });
    await expect.poll(drawn).toBe(all);
    const area = page.locator(".u-over").first();
    await area.scrollIntoViewIfNeeded();
    const box = (await area.boundingBox())!;
    await page.mouse.move(box.x + 60, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 160, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => range.locator("option:checked").innerText()).toBe("selected in a chart");
    expect(await drawn()).not.toBe(all);
    await page.mouse.dblclick(box.x + 60, box.y + 40);
    await expect.poll(() => range.locator("option:checked").innerText()).toBe("all 180 days");
    await close();
  });

  it("users are searched and chosen for the chart of trust", async () => {
    const { page, close } = await open(PAGES["a summary"]());
    const figure = page.locator("figure.chosen").first();
    const names = () => figure.locator(".legend li").allInnerTexts();
    expect(await names()).toHaveLength(3);
    await figure.getByRole("searchbox").fill("dora");
    expect(await figure.locator(".chooser li").count()).toBe(1);
    await figure.getByRole("checkbox", { name: /dora/ }).press("Space");
    expect((await names()).at(-1)).toMatch(/^dora\.d0@example\.org [01]\.\d\d$/);
    await figure.getByRole("button", { name: "None" }).click();
    expect(await names()).toEqual([]);
    await figure.getByText("Values of the chosen users as a table").click();
    await figure.getByRole("button", { name: "Lowest trust" }).click();
    expect(await figure.locator("tbody tr").count()).toBe(180);
    expect(await figure.locator("thead th").count()).toBe(6);
    const values = (await names()).map((text) => Number(text.split(" ").at(-1)));
    expect(values).toHaveLength(5);
    expect(values).toEqual(values.toSorted((one, other) => one - other));
    await close();
  });

  it("tables are sorted by click and by keyboard, in both directions", async () => {
    const { page, close } = await open(PAGES["a summary"]());
    const users = table(page, USERS);
    expect(await firstCells(page, USERS)).toHaveLength(10);
    const head = users.locator("th[scope=col]", { hasText: "Success" });
    const values = async () => (await users.locator("tbody td:nth-child(3)").allInnerTexts()).map(Number.parseFloat);
    await head.getByRole("button").click();
    expect(await head.getAttribute("aria-sort")).toBe("descending");
    expect(await values()).toEqual((await values()).toSorted((one, other) => other - one));
    await head.getByRole("button").focus();
    await page.keyboard.press("Enter");
    expect(await head.getAttribute("aria-sort")).toBe("ascending");
    expect(await values()).toEqual((await values()).toSorted((one, other) => one - other));
    await users.getByRole("button", { name: /^User/ }).click();
    expect(await users.locator("[aria-sort=ascending], [aria-sort=descending]").count()).toBe(1);
    expect((await firstCells(page, USERS))[0]).toMatch(/^alice/);
    await close();
  });

  it("missing values are last in both directions, and sizes are sorted as numbers", async () => {
    const { page, close } = await open(PAGES["a summary"]());
    const states = table(page, "States, /srv/agents/data/states");
    await states.getByRole("button", { name: "Show all 34 rows" }).click();
    for (const direction of ["descending", "ascending"]) {
      await states.getByRole("button", { name: "Trust" }).click();
      expect(await states.locator("thead th").nth(1).getAttribute("aria-sort")).toBe(direction);
      expect((await states.locator("tbody td:nth-child(2)").allInnerTexts()).at(-1)).toBe("–");
    }
    await table(page, "Sources").getByRole("button", { name: "Size" }).click();
    expect((await firstCells(page, "Sources")).slice(0, 3)).toEqual(["metrics.db", "other/metrics.db", "patterns.db"]);
    await close();
  });

  it("tables are searched, and show more rows on demand", async () => {
    const { page, close } = await open(PAGES["a summary"]());
    const users = table(page, USERS);
    await users.getByRole("searchbox").fill("bela example");
    expect(await users.locator(".status").innerText()).toBe("6 of 6 rows (60 without the search)");
    await users.getByRole("searchbox").fill("no such user");
    expect(await users.locator(".status").innerText()).toBe("No row matches");
    await users.getByRole("searchbox").fill("");
    await users.getByRole("button", { name: "Show all 60 rows" }).press("Enter");
    expect(await users.locator("tbody tr").count()).toBe(60);
    expect(await users.locator(".scroll").evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
    await close();
  });

  it("facts are filtered by their result", async () => {
    const { page, close } = await open(PAGES["an incomplete comparison"]());
    await page.getByLabel("Result").selectOption("changed");
    expect(await firstCells(page, "Facts")).toEqual(["number of operations"]);
    await close();
  });

  it("thousands of rows are in the page, and few of them in the document", async () => {
    const { page, close } = await open(summaryPage(crowdedSummary(4000)));
    expect(await table(page, USERS).locator(".status").innerText()).toBe("10 of 4,000 rows");
    await table(page, USERS).getByRole("button", { name: "Show 200 more" }).click();
    expect(await page.locator("tr").count()).toBeLessThan(1000);
    await table(page, USERS).getByRole("searchbox").fill("kemal");
    expect(await table(page, USERS).locator(".status").innerText()).toMatch(/^10 of 363 rows/);
    await close();
  });

  it("links lead to the parts, which open", async () => {
    const summary = richSummary();
    summary.libraries = Array.from({ length: 5 }, () => summary.libraries[0]!);
    const { page, close } = await open(summaryPage(summary), { hash: "#source-6" });
    expect(await page.locator("details.source[open]").count()).toBe(2);
    await page.locator(".contents a", { hasText: "other/metrics.db" }).click();
    await page.locator("#source-2 > details[open] canvas").first().waitFor();
    const targets = await page
      .locator('a[href^="#"]')
      .evaluateAll((all) => all.map((one) => one.getAttribute("href") as string));
    for (const target of targets) expect(await page.locator(target).count(), target).toBe(1);
    expect(await page.locator("[id]").evaluateAll((all) => all.length - new Set(all.map((one) => one.id)).size)).toBe(
      0,
    );
    await close();
  });

  it("is readable without JavaScript", async () => {
    const { page, close } = await open(PAGES["an incomplete comparison"](), { javaScriptEnabled: false });
    expect(await page.locator("h1").innerText()).toMatch(/^[\d,]+ rows of metrics are missing$/);
    expect(await table(page, "Facts").locator("tbody tr").count()).toBe(154);
    expect(await page.locator("noscript p").isVisible()).toBe(true);
    expect(await page.locator("#theme").isVisible()).toBe(false);
    await close();
  });

  it("has drawings of all charts without JavaScript, as wide as a phone", async () => {
    const { page, close } = await open(PAGES["a summary"](), {
      javaScriptEnabled: false,
      viewport: { width: 390, height: 800 },
    });
    const chart = page.locator("figure.chart:visible", { has: page.locator("svg.drawn") }).first();
    const box = await chart.locator("svg").boundingBox();
    expect(box?.width).toBeGreaterThan(250);
    expect(box?.width).toBeLessThanOrEqual(390);
    expect(await chart.locator("figcaption").innerText()).toMatch(/^Operations\s*0 to [\d,]+\s*successful\s*failed$/);
    await close();
  });

  it("saves the rows that match as CSV without formulas, and as JSON with numbers", async () => {
    const users = ["=1+1", "ann, the first", "-x", "bob", "carl", "dora", "emil"];
    const sample = sampleMetrics({ days: 4, users: users.length });
    const top_users = sample.top_users.map((user, index) => ({
      ...user,
      user_id: users[index]!,
      total_operations: 1204 - index,
    }));
    const html = summaryPage({
      ...emptySummary(),
      databases: [sampleDatabase("/srv/m.db", { metrics: { ...sample, users: users.length, top_users } })],
    });
    const { page, close } = await open(html);
    const savedAs = async (format: "CSV" | "JSON"): Promise<[name: string, text: string]> => {
      const save = page.getByRole("button", { name: `Save as ${format}: Users, /srv/m.db` });
      const [download] = await Promise.all([page.waitForEvent("download"), save.click()]);
      const path = join(freshFolder(), "saved");
      await download.saveAs(path);
      return [download.suggestedFilename(), readFileSync(path, "utf8")];
    };
    const saved = async (): Promise<[name: string, rows: string[]]> => {
      const [name, text] = await savedAs("CSV");
      return [name, text.split("\r\n")];
    };
    const [name, rows] = await saved();
    expect(name).toBe("Users_srv_m.db.csv");
    expect(rows[0]).toMatch(/^User,Operations,Success,Response,/);
    expect(rows.slice(1, 4).map((row) => row.replace(/",.*/, '"').replace(/%.*/, "%"))).toEqual([
      expect.stringMatching(/^'=1\+1,"1,204"$/),
      '"ann, the first"',
      expect.stringMatching(/^'-x,"1,202"$/),
    ]);
    expect(rows).toHaveLength(9);
    await page.getByRole("searchbox", { name: "Search in Users, /srv/m.db" }).fill("bob");
    expect((await saved())[1]).toHaveLength(3);
    const [file, text] = await savedAs("JSON");
    expect(file).toBe("Users_srv_m.db.json");
    const bob = top_users[3]!;
    expect(JSON.parse(text)).toEqual([
      expect.objectContaining({
        User: "bob",
        Operations: bob.total_operations,
        Success: Number((bob.success_rate * 100).toFixed(1)),
        p95: Number(bob.p95!.toPrecision(4)),
        Newest: bob.last_use!.slice(0, 16).replace("T", " "),
      }),
    ]);
    await close();
  });

  it("prints light, with all parts and without the controls", async () => {
    const { page, complaints, close } = await open(PAGES["a summary"](), { colorScheme: "dark" });
    await page.locator("details.source > summary").first().click();
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("details.source:not([open])").count()).toBe(0);
    for (const part of ["#theme", ".contents", ".tools >> nth=0", ".chooser >> nth=0"])
      expect(await page.locator(part).isVisible(), part).toBe(false);
    expect(await table(page, USERS).locator("tbody tr").count()).toBe(60);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    expect(await page.locator("details.source:not([open])").count()).toBe(1);
    expect(await table(page, USERS).locator("tbody tr").count()).toBe(10);
    expect((await page.pdf()).length).toBeGreaterThan(20_000);
    expect(complaints).toEqual([]);
    await close();
  });
});
