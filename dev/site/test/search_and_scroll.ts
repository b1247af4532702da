import { createReadStream, existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type { Browser } from "playwright-core";
import { launch } from "../../../packages/conformance/test/reports/chromium.ts";

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/** Observations in a browser. */
interface Seen {
  /** Errors in the browser's console, and answers other than 200. */
  complaints: string[];
  /** The address of the first search result. */
  landedAt: string;
  /** The heading that the browser scrolled to there. */
  inView: string;
  /** Pages that are wider than a phone. */
  tooWide: string[];
  backgrounds: { light: string; dark: string };
}

/** Opens the site in a browser, searches for a word and follows the first result, then opens pages on a phone. */
export async function searchAndScroll(place: string, word: string, pages: string[]): Promise<Seen> {
  const server = await serve(place);
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  let browser: Browser | undefined;
  try {
    browser = await launch();
    const complaints: string[] = [];
    const page = await browser.newPage({ viewport: { width: 1300, height: 900 }, colorScheme: "light" });
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("response", (answer) => {
      if (answer.status() !== 200) complaints.push(`${answer.status()}: ${answer.url()}`);
    });
    const background = (): Promise<string> => page.evaluate("getComputedStyle(document.body).backgroundColor");

    await page.goto(`${root}index.html`);
    const light = await background();
    await page.click("#tsd-search-trigger");
    await page.fill("#tsd-search-input", word);
    await page.locator("#tsd-search-results a", { hasText: word }).first().click();
    await page.waitForURL(/#/);
    const landedAt = page.url().slice(root.length);
    const target = page.locator(":target");
    await target.and(page.locator(":visible")).waitFor();
    const inView = (await target.innerText()).split(/\W/)[0] as string;

    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await background();
    await page.setViewportSize({ width: 390, height: 844 });
    const tooWide: string[] = [];
    for (const path of pages) {
      await page.goto(`${root}${path}`, { waitUntil: "load" });
      if ((await page.evaluate<number>("document.documentElement.scrollWidth")) > 390) tooWide.push(path);
    }
    return { complaints, landedAt, inView, tooWide, backgrounds: { light, dark } };
  } finally {
    await browser?.close();
    server.close();
  }
}

async function serve(place: string): Promise<Server> {
  const server = createServer((request, response) => {
    const file = join(place, new URL(request.url ?? "/", "http://site").pathname);
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return server;
}
