import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { writeFileSync } from "node:fs";

/** A page in a context of its own. */
export interface WatchedPage {
  page: Page;
  /** Console messages, errors, dialogs, windows, and requests for anything but the page. */
  complaints: string[];
  close: () => Promise<void>;
}

/** Writes a page to a file and opens it. */
export async function watchedPage(
  browser: Browser,
  file: string,
  html: string,
  { hash = "", script, ...options }: BrowserContextOptions & { hash?: string; script?: string } = {},
): Promise<WatchedPage> {
  writeFileSync(file, html);
  const address = pathToFileURL(file).href;
  const context = await browser.newContext(options);
  if (script !== undefined) await context.addInitScript(script);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => (complaints.push("a dialog was opened"), void dialog.dismiss()));
  page.on("popup", () => complaints.push("a window was opened"));
  page.on("request", (request) => {
    if (!request.url().startsWith(address)) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(`${address}${hash}`);
  return { page, complaints, close: () => context.close() };
}

/** Hovers over every element of a page, and names content that is not part of it: elements, handlers and scripts of the data. */
export function foreignContent(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const found = [];
    for (const element of document.querySelectorAll("*")) {
      element.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
      for (const { name, value } of element.attributes) {
        if (name.startsWith("on")) found.push("the element " + element.localName + " has the attribute " + name);
        if (["href", "src", "action"].includes(name) && /^\\s*(?:javascript|data|vbscript):/i.test(value))
          found.push(name + "=" + value);
      }
    }
    for (const { localName } of document.querySelectorAll("iframe, object, embed, form, base, img, x-evil"))
      found.push("the page has an element " + localName);
    for (const name of ["hacked", "stolen"]) if (name in globalThis) found.push("a script in the data set " + name);
    return found;
  })()`);
}
