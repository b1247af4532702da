import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";

const PLACES = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/google-chrome"];

/** The browser of this machine, if there is one. */
const CHROMIUM: string | undefined = PLACES.find((path) => path !== undefined && existsSync(path));

/** True if browser tests cannot run, and are not required. */
export const NO_BROWSER: boolean = CHROMIUM === undefined && process.env.REQUIRE_BROWSER !== "1";

/** Suffix for the names of tests that need a browser, so that the tally shows why they did not run. */
export const BROWSER_NOTE: string = NO_BROWSER ? " (not run: no Chromium here; set CHROMIUM_PATH)" : "";

/** Starts the browser without any network requests of its own. */
export async function launch(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("REQUIRE_BROWSER is set, and there is no Chromium: set CHROMIUM_PATH");
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
