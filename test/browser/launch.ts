import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";
import { PATIENCE_MS } from "../patience.ts";
import { hasPackedChromium, packedChromium } from "./packed_chromium.ts";

const INSTALLED = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => existsSync(path));
const CHOSEN = process.env["CHROMIUM_PATH"];

/** True if browser tests cannot run: npm has a Chromium only for Linux on x64, and none is installed. */
export const NO_BROWSER: boolean = CHOSEN === undefined && !hasPackedChromium && INSTALLED === undefined;

/** Starts Chromium without any network requests of its own: the one at CHROMIUM_PATH, the pinned one, or an installed one. */
export async function launch(): Promise<Browser> {
  const { path, env } = await chosen();
  if (path === undefined) throw new Error("no Chromium: install it, or set CHROMIUM_PATH");
  const browser = await chromium.launch({
    executablePath: path,
    // With the locale "C", the language of this Chromium is "en-US@posix", which no page can use.
    env: { ...process.env, LC_ALL: "en_US.UTF-8", ...env },
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
  browser.on("context", (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}

async function chosen(): Promise<{ path: string | undefined; env?: Record<string, string> }> {
  if (CHOSEN !== undefined) return { path: CHOSEN };
  return hasPackedChromium ? packedChromium() : { path: INSTALLED };
}
