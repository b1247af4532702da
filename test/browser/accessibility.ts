import axe from "axe-core";
import type { Page } from "playwright-core";

/** Faults found by axe that keep people from reading or using a page: rule, element and summary of each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // The policy of a page may not allow scripts of others; the protocol of the browser does.
  await page.evaluate(axe.source);
  return await page.evaluate(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) => id + ": " + html + failureSummary)))`,
  );
}
