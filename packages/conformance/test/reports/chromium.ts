import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";

const PLACES = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/google-chrome"];

/** The browser of this machine, if there is one. */
const CHROMIUM: string | undefined = PLACES.find((path) => path !== undefined && existsSync(path));

/** True where browser tests cannot run, and nobody insists that they do. */
export const NO_BROWSER: boolean = CHROMIUM === undefined && process.env.REQUIRE_BROWSER !== "1";

/** What the tests that need a browser are called, so that a reader of the tally sees why they did not run. */
export const BROWSER_NOTE: string = NO_BROWSER ? " (not run: no Chromium here; set CHROMIUM_PATH)" : "";

/** Starts the browser so that it talks to nobody by itself. */
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
