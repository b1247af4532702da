import { isPostgresAddress } from "@perdura/internals/text/addresses.js";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";
import type { Pool } from "pg";
import { assertParameters, isTarget, variable } from "./libpq_settings.ts";
import { parseAddress } from "./parsed_address.ts";
import type { PostgresPool } from "./pool_types.ts";

/**
 * The server: a `postgres://` address, an existing pool of the package `pg`, or undefined for the server that libpq's
 * environment variables name (`PGHOST`, `PGPORT`, `PGDATABASE`, `PGUSER`, `PGPASSWORD`, …). With several hosts, the
 * first suitable one is used: `postgres://user@db1:5432,db2:5432/database?target_session_attrs=read-write`.
 */
export type PostgresPlace = string | PostgresPool | undefined;

/** @throws ValidationError for any other value. The message contains at most the scheme of an address. */
export function assertPlace(place: unknown): asserts place is PostgresPlace {
  if (place === undefined || isPool(place)) return;
  if (typeof place === "string" && isPostgresAddress(place)) {
    assertParameters(parseAddress(place));
    return;
  }
  const found = typeof place === "string" ? shownText(place) : describe(place);
  throw new ValidationError(
    `expected an address like postgres://user@host:5432/database, a Pool of pg, or undefined; got ${found}.${typeof place === "string" ? adviceFor(place) : ""}`,
    { argument: "place" },
  );
}

/** Describes text that is not a PostgreSQL address by its scheme: the remaining text may contain a password. */
function shownText(text: string): string {
  const scheme = /^[a-z][a-z\d+.-]{0,30}:\/\//i.exec(text)?.[0];
  const shown = scheme === undefined ? "" : ` that begins with ${describe(scheme)}`;
  return `text${shown}, which is not shown because it may contain a password`;
}

/** Advice for an address of another database, or in the form of another driver. */
function adviceFor(text: string): string {
  if (/^(?:jdbc:)?postgres(?:ql)?(?:\+[\w.-]+)?:\/\//i.test(text))
    return " Write postgres:// in place of that scheme, which is that of another driver.";
  return /^(?!postgres)[a-z][a-z\d+.-]{0,30}:\/\//i.test(text) ? " Only servers of PostgreSQL are supported." : "";
}

/** Checks the methods instead of the class, because the application may use another copy of the package `pg`. */
export function isPool(place: unknown): place is PostgresPool {
  const { connect, query, on } = (place ?? {}) as Partial<Record<"connect" | "query" | "on", unknown>>;
  return [connect, query, on].every((method) => typeof method === "function");
}

/**
 * The server's name in messages: without password and other parameters, because parameters may contain a password.
 *
 * @throws ValidationError for an ambiguous address, also if a pool has it: errors of the driver would repeat the text
 * that it reads as host or database.
 */
export function shownPlace(place: PostgresPlace): string {
  if (!isPool(place)) return place === undefined ? shownServer({}) : shownAddress(place);
  const { connectionString, user, host, port, database } = (place as Pool).options ?? {};
  if (typeof connectionString === "string")
    return isPostgresAddress(connectionString) ? shownAddress(connectionString) : "a Pool of pg";
  return shownServer({ user, host, port, database } as ServerName);
}

function shownAddress(address: string): string {
  const { user, hosts, ports, database, parameters } = parseAddress(address);
  const shown = shownServer({ user, host: hosts.join(",") || undefined, port: ports.join(",") || undefined, database });
  const target = parameters.get("target_session_attrs") ?? "";
  // Commands in messages need it.
  return isTarget(target) ? `${shown}${shown.includes("?") ? "&" : "?"}target_session_attrs=${target}` : shown;
}

/** Parts of an address, hosts and ports as lists. A pool may have values of any type in the place of text. */
type ServerName = Partial<Record<"user" | "host" | "port" | "database", unknown>>;

/** Adds the parts that the driver reads from the environment, and formats all like libpq. */
function shownServer(server: ServerName): string {
  const part = (given: unknown, name: string, ordinary: RegExp): string => {
    const text = String(given ?? variable(name) ?? "");
    return ordinary.test(text) ? cut(text) : "…";
  };
  const user = part(server.user, "PGUSER", ORDINARY_NAME);
  const host = part(server.host, "PGHOST", ORDINARY_HOSTS);
  const port = part(server.port, "PGPORT", /^[\d,]*$/);
  const database = part(server.database, "PGDATABASE", ORDINARY_NAME);
  const login = user === "" ? "" : `${encoded(user)}@`;
  if (/(?:^|,)\//.test(host))
    return `postgres://${login}/${encoded(database)}?host=${host}${port === "" ? "" : `&port=${port}`}`;
  const ports = port.split(",");
  const names = host.split(",").map((name, index) => shownHost(name, ports.length > 1 ? ports[index] : ports[0]));
  return `postgres://${login}${names.join(",")}/${encoded(database)}`;
}

/** A server in messages: `host:5432`. */
export function shownHost(host: string, port: string = ""): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `${name || "localhost"}${port === "" ? "" : `:${port}`}`;
}

/** Names, IP addresses and directories, separated by commas. */
const ORDINARY_HOSTS = /^(?:(?:\/[^\p{Cc}@=?&,]*|[\p{L}\p{M}\p{N}._:%-]*)(?:,|$))*$/u;

/** Names without these characters. A name with one of them is probably a mistyped password. */
const ORDINARY_NAME = /^[^\p{Cc}\p{Cs}:/?#=&;\\]*$/u;

/** Escapes characters with a meaning in an address. Letters of all languages are unchanged. */
function encoded(name: string): string {
  return name.replaceAll(/[\s%@[\]"'<>`{}|^]/gu, encodeURIComponent);
}

/** Shortens a name, so that the message stays readable. */
function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const LONGEST = 100;
