import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launch } from "../../../test/browser/launch.ts";

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** A built site, served as GitHub Pages does, and a browser that opens its pages. */
export class InBrowser {
  readonly root: string;
  /** Errors in the browser's console, and requests to other servers. */
  readonly complaints: string[] = [];
  readonly #server: Server;
  readonly #browser: Browser;

  private constructor(server: Server, browser: Browser, base: string) {
    this.#server = server;
    this.#browser = browser;
    this.root = `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`;
  }

  /** @param base Path of the site on the server, with a slash at its end. */
  static async open(place: string, base: string): Promise<InBrowser> {
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://site");
      const path = join(place, pathname.startsWith(base) ? pathname.slice(base.length) : "absent");
      const file = existsSync(path) && statSync(path).isDirectory() ? join(path, "index.html") : path;
      const found = existsSync(file);
      const answer = found ? file : join(place, "404.html");
      response.writeHead(found ? 200 : 404, { "content-type": TYPES[extname(answer)] ?? "application/octet-stream" });
      createReadStream(answer).pipe(response);
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    return new InBrowser(server, await launch(), base);
  }

  /** A new page, in a profile of its own. */
  async page(options: BrowserContextOptions): Promise<Page> {
    const page = await (await this.#browser.newContext(options)).newPage();
    page.on("console", (message) => this.complaints.push(message.text()));
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("request", (request) => {
      if (!request.url().startsWith(this.root)) this.complaints.push(request.url());
    });
    return page;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#server.close();
  }
}
