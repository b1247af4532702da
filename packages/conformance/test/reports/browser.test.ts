import { join } from "node:path";
import fc from "fast-check";
import type { Browser, Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { htmlReport } from "../../src/report/html/page.ts";
import { junitReport } from "../../src/report/junit.ts";
import type { ReportRecord } from "../../src/results/record.ts";
import { summarise } from "../../src/results/summary.ts";
import { launch, NO_BROWSER } from "../../../../test/browser/launch.ts";
import { foreignContent, watchedPage } from "../../../../test/browser/watched_page.ts";
import { anyStream } from "./arbitrary_records.ts";
import { EVERYTHING, everything, HOSTILE } from "./everything.ts";
import { caseRecord, failing, stream } from "./sample_records.ts";
import { needs } from "../../../../test/needs.ts";

describe("the HTML report in a browser", needs("browser", NO_BROWSER), () => {
  let browser: Browser | undefined;
  afterAll(async () => {
    await browser?.close();
  });

  async function open(records: ReportRecord[], options: Parameters<typeof watchedPage>[3] = {}) {
    // Not in beforeAll: if a browser is required and missing, every test must fail.
    browser ??= await launch();
    return watchedPage(browser, join(freshFolder(), "report.html"), htmlReport(records), {
      viewport: { width: 1200, height: 900 },
      ...options,
    });
  }
  const shown = (page: Page) =>
    page.locator(".case:not([hidden])").evaluateAll((all) => all.map((one) => one.dataset.id));

  it("shows every case with the counts of the other reports, without any request", async () => {
    const { page, complaints, close } = await open(everything());
    const { counts, case_files } = summarise(everything());
    await page.click("#reset");
    expect(await page.locator("#count").innerText()).toBe(`${case_files} cases`);
    for (const [verdict, number] of Object.entries(counts)) {
      expect(await page.locator(`.case[data-verdict="${verdict}"]`).count()).toBe(number);
      if (number > 0)
        expect(await page.locator(`.counts a[href="#verdict=${verdict}"]`).innerText()).toBe(`${number} ${verdict}`);
    }
    expect(await page.locator("h1").innerText()).toContain("acme 1.2.0 does not conform to version 16.0.0");
    expect(complaints).toEqual([]);
    await close();
  });

  it("opens on the cases that need attention, if there are any, and not at a link", async () => {
    const attention = ["alpha/crashes", "alpha/fails", "beta/fixed", "beta/missing", "beta/hard"];
    const { page, complaints, close } = await open(everything());
    expect(await shown(page)).toEqual(attention);
    expect(await page.locator("#filter-attention").isChecked()).toBe(true);
    await page.uncheck("#filter-attention");
    await page.waitForURL(/#attention=0$/);
    await page.reload();
    expect(await shown(page)).toHaveLength(10);
    expect(complaints).toEqual([]);
    await close();
    for (const [records, hash] of [
      [stream([caseRecord("a/a")]), ""],
      [everything(), "#case-alpha/fails"],
      [everything(), "#R-2.1/one"],
    ] as const) {
      const other = await open(records, { hash });
      expect(await other.page.locator("#filter-attention").isChecked()).toBe(false);
      expect(await shown(other.page)).toHaveLength(records.filter(({ record }) => record === "case").length);
      await other.close();
    }
  });

  it("filters and counts cases, and keeps the filters in the address", async () => {
    const { page, complaints, close } = await open(everything());
    await page.selectOption("#filter-verdict", "fail");
    expect(await shown(page)).toEqual(["alpha/fails", "beta/known", "beta/hard"]);
    expect(await page.locator("#count").innerText()).toBe("Showing 3 of 10 cases");
    await page.selectOption("#filter-level", "must");
    expect(await shown(page)).toEqual(["alpha/fails", "beta/known"]);
    const requirements = page.locator(".requirement:not([hidden])");
    expect(await requirements.evaluateAll((all) => all.map((one) => one.id))).toEqual(["R-2.1/one", "R-4.1/save"]);
    expect(await page.locator("h2:visible").allInnerTexts()).not.toContain("2.10 A late section");
    expect(await page.locator(".contents li:visible .name").allInnerTexts()).not.toContain("A late section");
    await page.fill("#filter-q", "R-4.1/save known");
    expect(await shown(page)).toEqual(["beta/known"]);
    await page.waitForURL(/#q=R-4.1%2Fsave\+known&verdict=fail&level=must$/);
    await page.fill("#filter-q", "no such words");
    expect(await page.locator("#nothing").isVisible()).toBe(true);
    await page.click("#reset");
    expect(await shown(page)).toHaveLength(10);
    expect(await page.locator(".contents li:visible .name").allInnerTexts()).toContain("A late section");
    await page.check("#filter-attention");
    expect(await shown(page)).toEqual(["alpha/crashes", "alpha/fails", "beta/fixed", "beta/missing", "beta/hard"]);
    await page.uncheck("#filter-attention");
    await page.selectOption("#filter-section", "4.1");
    expect(await shown(page)).toEqual(["alpha/fails", "beta/known"]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("opens with the filters of the address, and a link leads to a filtered case", async () => {
    const { page, close } = await open(everything(), { hash: "#verdict=observed&attention=0&level=nonsense" });
    expect(await shown(page)).toEqual(["gamma/order"]);
    // A visible case keeps the filters, a hidden one clears them.
    await page.click('#open-questions ~ table a[href="#case-gamma/order"]');
    await page.click('a[href="#verdict=crash"]');
    await expect.poll(() => shown(page)).toEqual(["alpha/crashes"]);
    await page.evaluate("location.hash = '#case-beta/other-line'");
    await page.locator('.case[data-id="beta/other-line"][open]').waitFor();
    expect(await shown(page)).toHaveLength(10);
    await close();
  });

  it("copies the command that repeats a case", async () => {
    const { page, close } = await open(everything(), { permissions: ["clipboard-read", "clipboard-write"] });
    const button = page.locator('.case[data-id="alpha/fails"] .copy');
    await button.click();
    await page.getByText("Copied", { exact: true }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      'npx @perdura/conformance run --adapter "./adapter" --line 16 --case alpha/fails',
    );
    await close();
  });

  it("keeps hostile text inert and visible", async () => {
    const expected = { verdict: "fail" as const, kind: HOSTILE, link: "javascript:window.stolen=1", met: true };
    const hostile = failing("a/evil", { title: HOSTILE, reason: HOSTILE, diagnostics: HOSTILE, expected });
    hostile.failures = [{ step: 1, where: HOSTILE, at: HOSTILE, wanted: HOSTILE, got: `${HOSTILE}!` }];
    const answers = caseRecord("a/answers", {
      answers: { "U-order": HOSTILE },
      requirements: ["U-order"],
      level: "observe",
    });
    const records = stream([hostile, answers], {
      run: {
        implementation: { name: HOSTILE, version: HOSTILE, language: HOSTILE },
        adapter: HOSTILE,
        option: HOSTILE,
        choices: { "U-order": HOSTILE },
      },
      end: { notes: [HOSTILE] },
      stray: [{ id: "gone/gone", what: HOSTILE }],
    });
    const { page, complaints, close } = await open(records);
    expect(await page.locator("img, script, iframe, object, a[href^='javascript']").count()).toBe(1);
    expect(await page.evaluate("'stolen' in window")).toBe(false);
    const text = await page.evaluate("document.documentElement.textContent");
    expect(text).toContain('</script><script>window.stolen=1</script><img src=x onerror="window.stolen=1">');
    expect(text).not.toMatch(/[\u0000\u0007\u001b\u2028-\u202e]/);
    expect(complaints).toEqual([]);
    await close();
  });

  it("any report runs nothing of its records, and has nothing of them but text", async () => {
    const property = fc.asyncProperty(anyStream, async (records) => {
      const { page, complaints, close } = await open(records);
      expect([...complaints, ...(await foreignContent(page))]).toEqual([]);
      expect(await page.locator("script").count()).toBe(1);
      await close();
    });
    // Each run opens a page: shrinking would take minutes.
    await fc.assert(property, { numRuns: 8 * Number(process.env["PERDURA_RUNS"] ?? 1), endOnFailure: true });
  });

  it("the JUnit report is well-formed XML", async () => {
    const { page, close } = await open(everything());
    const count = (xml: string): Promise<number[]> =>
      page.evaluate(`(() => {
        const parsed = new DOMParser().parseFromString(${JSON.stringify(xml)}, "application/xml");
        return ["parsererror", "testcase"].map((name) => parsed.querySelectorAll(name).length);
      })()`);
    expect(await count(junitReport(everything()))).toEqual([0, EVERYTHING.length + 1]);
    const evil = failing("a/evil", { title: HOSTILE, reason: HOSTILE, diagnostics: HOSTILE });
    expect(await count(junitReport(stream([evil])))).toEqual([0, 1]);
    expect((await count("<open>"))[0]).toBe(1);
    await close();
  });
});
