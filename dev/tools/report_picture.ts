// Makes docs/pictures/conformance-report.png again: the page of a run against the Python implementation with an
// injected fault. Needs python3 and `pnpm build`.
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch } from "../../test/browser/launch.ts";
import { temporaryFolder } from "../../test/temporary_folder.ts";

const CONFORMANCE = fileURLToPath(new URL("../../packages/conformance/", import.meta.url));
const PICTURE = fileURLToPath(new URL("../../docs/pictures/conformance-report.png", import.meta.url));

/** The injected fault: a pattern without a confidence gets another default. */
const FAULT = ["confidence: float = 0.5", "confidence: float = 0.6"] as const;

const place = temporaryFolder();
try {
  const report = judged(place);
  const browser = await launch();
  const page = await browser.newPage({ viewport: { width: 1000, height: 1060 }, colorScheme: "light" });
  await page.goto(pathToFileURL(report).href);
  // Shows only failures, as a reader would. The second requirement is the most informative.
  await page.getByRole("link", { name: /that need attention/ }).click();
  await page.locator("details:visible > summary").first().click();
  await page.evaluate("scrollTo(0, 0)");
  await page.screenshot({ path: PICTURE });
  await browser.close();
} finally {
  rmSync(place, { recursive: true, force: true });
}

/** Runs the suite; returns the path of its page. */
function judged(folder: string): string {
  cpSync(join(CONFORMANCE, "python"), join(folder, "mine"), { recursive: true });
  const source = join(folder, "mine", "agent_persistence_shared", "pattern.py");
  writeFileSync(source, readFileSync(source, "utf8").replace(...FAULT));
  const words = ["run", "--adapter", "python3 mine/adapter.py 16", "--line", "16", "--html", "report.html"];
  const { status, stderr } = spawnSync(process.execPath, [join(CONFORMANCE, "dist", "cli.js"), ...words], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 4) throw new Error(`The run ended with ${String(status)}, expected 4 for a failure. ${stderr}`);
  return join(folder, "report.html");
}
