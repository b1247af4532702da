import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isPerduraError, StorageError } from "@perdura/internals/errors/errors.js";
import { jsonText } from "@perdura/cli/terminal.js";
import { servedPage } from "@perdura/summary/page/summary_page.js";
import { servedUserPage } from "@perdura/summary/page/user_page.js";
import { PROGRAM } from "../version.ts";
import type { CurrentData } from "./current_data.ts";

/** Settings of {@link serve}. */
export interface ServeOptions {
  /** Port on the loopback address; 0 for a free one. */
  port: number;
  /** Time between two looks at the data while a page is open, in milliseconds. */
  intervalMs: number;
}

/** The only address: other computers cannot reach it. */
const HOST = "127.0.0.1";

/** Bytes of the token, which no page of another origin and no other user of the computer can guess. */
const TOKEN_BYTES = 24;

/**
 * Serves the data on the loopback address, read-only, until the process ends.
 *
 * @returns The address of the page, which contains the token.
 * @throws StorageError if the port cannot be used.
 */
export async function serve(data: CurrentData, { port, intervalMs }: ServeOptions): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const server = createServer((request, response) => {
    answer(request, response, { data, token, intervalMs }).catch((error: unknown) => {
      if (!isPerduraError(error)) throw error;
      // The limits in the address are not dates.
      const status = isPerduraError(error, "PERDURA_VALIDATION") ? 400 : 500;
      send(response, status, "text/plain", `${error.message}\n`);
    });
  });
  await listen(server, port);
  return `http://${HOST}:${(server.address() as AddressInfo).port}/${token}/`;
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, HOST);
  try {
    await once(server, "listening");
  } catch (error) {
    const reasons: Record<string, string> = {
      EADDRINUSE: "another program uses the port; leave out --port to use a free one",
      EACCES: "the system does not permit the port; leave out --port to use a free one",
    };
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new StorageError(`cannot serve: ${reasons[code] ?? message}.`, { subject: `${HOST}:${port}`, cause: error });
  }
}

interface Served {
  data: CurrentData;
  token: string;
  intervalMs: number;
}

async function answer(
  { method, url = "", headers }: IncomingMessage,
  response: ServerResponse,
  { data, token, intervalMs }: Served,
): Promise<void> {
  // A page of another origin that was given a name of this computer sends that name.
  const isOwn = headers.host !== undefined && /^(?:127\.0\.0\.1|localhost):\d+$/.test(headers.host);
  if (!URL.canParse(url, `http://${HOST}`)) return send(response, 403, "text/plain", FORBIDDEN);
  const { pathname, searchParams } = new URL(url, `http://${HOST}`);
  const [, given = "", place, ...others] = pathname.split("/");
  if (!isOwn || !isEqual(given, token)) return send(response, 403, "text/plain", FORBIDDEN);
  if (method !== "GET" && method !== "HEAD") return send(response, 405, "text/plain", "Only GET is answered.\n");
  if (others.length > 0) return send(response, 404, "text/plain", NOT_FOUND);
  const range = { since: searchParams.get("since") || undefined, until: searchParams.get("until") || undefined };
  const isAll = range.since === undefined && range.until === undefined;
  switch (place) {
    case "": {
      const { number, summary } = await data.current();
      const shown = isAll ? summary : await data.between(range);
      return send(response, 200, "text/html", servedPage(shown, servedWith(number, range)));
    }
    case "summary.json": {
      const summary = isAll ? (await data.current()).summary : await data.between(range);
      return send(response, 200, "application/json", `${jsonText(summary, 2)}\n`);
    }
    case "user": {
      const [path, user] = [searchParams.get("database") ?? "", searchParams.get("user") ?? ""];
      const { number } = await data.current();
      const report = await data.user(path, user, range);
      if (report === undefined) return send(response, 404, "text/plain", NOT_FOUND);
      const page = { user_id: user, path, program: PROGRAM, made_at: new Date().toISOString(), ...report };
      return send(response, 200, "text/html", servedUserPage(page, servedWith(number, range)));
    }
    case "changes":
      return tellChange(response, data, Number(searchParams.get("version")), intervalMs);
    default:
      return send(response, 404, "text/plain", NOT_FOUND);
  }
}

const FORBIDDEN = "Open the whole address that perdura-inspect serve printed: it contains a token.\n";
const NOT_FOUND = "There is no such page, database or user. Go back, and load that page again.\n";

/** The links of a page of this version, which keep the range. */
function servedWith(
  version: number,
  { since = "", until = "" }: { since?: string | undefined; until?: string | undefined },
) {
  const range = { ...(since === "" ? {} : { since }), ...(until === "" ? {} : { until }) };
  return {
    changes: `changes?version=${version}`,
    range: { since, until },
    wholePage: Object.keys(range).length === 0 ? "./" : `./?${new URLSearchParams(range).toString()}`,
    userPage: (database: string, user: string) =>
      `user?${new URLSearchParams({ database, user, ...range }).toString()}`,
  };
}

function isEqual(given: string, token: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { ...HEADERS, "Content-Type": `${type}; charset=utf-8` });
  // Node.js leaves out the body for HEAD.
  response.end(text);
}

/** Nothing stays in caches, no other page may frame these, and the token goes nowhere. */
const HEADERS = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
} as const;

/** Sends server-sent events: `change` once the data are newer than the version, and `trouble` while they cannot be read. */
function tellChange(response: ServerResponse, data: CurrentData, version: number, intervalMs: number): void {
  response.writeHead(200, { ...HEADERS, "Content-Type": "text/event-stream" });
  const look = async (): Promise<void> => {
    try {
      const { number } = await data.current();
      response.write(number === version ? ": no change\n\n" : `event: change\ndata: ${number}\n\n`);
    } catch (error) {
      if (!isPerduraError(error)) throw error;
      response.write(`event: trouble\ndata: ${JSON.stringify(error.message)}\n\n`);
    }
    if (!response.destroyed) timer = setTimeout(() => void look(), intervalMs);
  };
  let timer = setTimeout(() => void look(), 0);
  response.on("close", () => clearTimeout(timer));
}
