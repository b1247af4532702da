import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { htmlReport } from "../../src/report/html/page.ts";
import { LOW_CONTRAST } from "./low_contrast.ts";
import { launch, NO_BROWSER } from "../../../../test/browser/launch.ts";
import { everything } from "./everything.ts";
import { failing, stream } from "./sample_records.ts";
import { needs } from "../../../../test/needs.ts";

describe("how the HTML report looks", needs("browser", NO_BROWSER), () => {
  let browser: Browser | undefined;
  afterAll(async () => browser?.close());

  async function open(html: string, options: BrowserContextOptions = {}) {
    browser ??= await launch();
    const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
    const page = await context.newPage();
    await page.setContent(html);
    return { page, close: () => context.close() };
  }
  const background = (page: Page) => page.evaluate("getComputedStyle(document.body).backgroundColor");

  it("fits a phone, long words included", async () => {
    const long = failing("a/long", { title: "W".repeat(300), diagnostics: "x".repeat(500) });
    long.failures = [{ step: 1, where: "call", at: "/a".repeat(200), wanted: "1".repeat(400), got: "2".repeat(400) }];
    for (const records of [everything(), stream([long], { run: { option: `--adapter ${"o".repeat(300)}` } })]) {
      const { page, close } = await open(htmlReport(records), { viewport: { width: 360, height: 800 } });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
      await close();
    }
  });

  it("follows the colour scheme of the system, and the button changes it", async () => {
    const light = await open(htmlReport(everything()), { colorScheme: "light" });
    const dark = await open(htmlReport(everything()), { colorScheme: "dark" });
    const bright = await background(light.page);
    expect(await background(dark.page)).not.toBe(bright);
    await dark.page.getByRole("button", { name: "Switch to light colours" }).click();
    expect(await background(dark.page)).toBe(bright);
    await light.close();
    await dark.close();
  });

  it.each(["light", "dark"] as const)("every text has enough contrast on %s", async (colorScheme) => {
    const { page, close } = await open(htmlReport(everything()), { colorScheme });
    await page.click("#fold");
    expect(await page.evaluate(LOW_CONTRAST)).toEqual([]);
    await close();
  });

  it("is readable without JavaScript", async () => {
    const { page, close } = await open(htmlReport(everything()), { javaScriptEnabled: false });
    expect(await page.locator(".case").count()).toBe(10);
    expect(await page.locator('.case[data-id="alpha/fails"] .got').isVisible()).toBe(true);
    for (const id of ["filters", "theme"]) expect(await page.locator(`#${id}`).isVisible()).toBe(false);
    await page.locator(".requirement:not([open]) > summary").first().click();
    await close();
  });

  it("has names for all controls, one h1, and table headers", async () => {
    const { page, close } = await open(htmlReport(everything()));
    const nameless = await page.locator("input, select, button:visible").evaluateAll(
      (all) =>
        all.filter((one) => {
          const { labels } = one as unknown as { labels?: { textContent: string }[] };
          return ![one.textContent, one.getAttribute("aria-label"), labels?.[0]?.textContent].some((name) =>
            name?.trim(),
          );
        }).length,
    );
    expect(nameless).toBe(0);
    expect(await page.locator("h1").count()).toBe(1);
    expect(await page.locator("table.questions th[scope=col]").allInnerTexts()).toEqual([
      "Question",
      "Our ruling",
      "Declared",
      "Observed",
    ]);
    expect(await page.locator("[id]").evaluateAll((all) => all.length - new Set(all.map((one) => one.id)).size)).toBe(
      0,
    );
    const targets = await page
      .locator('a[href^="#"]')
      .evaluateAll((all) => all.map((one) => one.getAttribute("href") as string));
    for (const target of targets.filter((href) => !href.includes("=")))
      expect(await page.locator(`[id="${target.slice(1)}"]`).count(), target).toBe(1);
    await close();
  });

  it("prints without the controls", async () => {
    const { page, close } = await open(htmlReport(everything()));
    await page.emulateMedia({ media: "print" });
    for (const part of ["#filters", ".contents", ".copy >> nth=0"])
      expect(await page.locator(part).isVisible()).toBe(false);
    expect(await page.locator('.case[data-id="alpha/fails"] .got').isVisible()).toBe(true);
    await close();
  });
});
