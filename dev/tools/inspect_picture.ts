// Makes docs/pictures/inspect-page.png again: the beginning of the page of perdura-inspect with sample data.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { summaryPage } from "../../packages/summary/src/page/summary_page.ts";
import { richSummary } from "../../packages/summary/test/sample_summaries.ts";
import { launch } from "../../test/browser/launch.ts";
import { temporaryFolder } from "../../test/temporary_folder.ts";

const PICTURE = fileURLToPath(new URL("../../docs/pictures/inspect-page.png", import.meta.url));

const place = temporaryFolder();
try {
  const file = join(place, "page.html");
  const summary = richSummary();
  writeFileSync(file, summaryPage({ ...summary, databases: summary.databases.slice(0, 2) }));
  const browser = await launch();
  const page = await browser.newPage({ viewport: { width: 1280, height: 1240 }, colorScheme: "light" });
  await page.goto(pathToFileURL(file).href);
  // The first database, from its name.
  await page.evaluate("document.querySelector('.part').scrollIntoView()");
  await page.screenshot({ path: PICTURE });
  await browser.close();
} finally {
  rmSync(place, { recursive: true, force: true });
}
