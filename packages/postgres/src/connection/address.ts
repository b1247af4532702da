import { isPostgresAddress } from "@perdura/internals/text/addresses.js";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";
import type { Pool } from "pg";
import { assertParameters, variable } from "./libpq_settings.ts";
import { type ParsedAddress, parseAddress } from "./parsed_address.ts";

/**
 * The server: a `postgres://` address, an existing pool of the package `pg`, or undefined for the server that libpq's
 * environment variables name (`PGHOST`, `PGPORT`, `PGDATABASE`, `PGUSER`, `PGPASSWORD`, …).
 */
export type PostgresPlace = string | Pool | undefined;

/** @throws ValidationError for anything else; it repeats nothing of an address but its scheme. */
export function assertPlace(place: unknown): asserts place is PostgresPlace {
  if (place === undefined || isPool(place)) return;
  if (typeof place === "string" && isPostgresAddress(place)) {
    assertParameters(parseAddress(place));
    return;
  }
  const found = typeof place === "string" ? shownText(place) : describe(place);
  throw new ValidationError(
    `expected an address like postgres://user@host:5432/database, a Pool of pg, or undefined; got ${found}.`,
    { argument: "place" },
  );
}

/** Names the scheme of a text that is not an address of PostgreSQL: the rest may hold a password. */
function shownText(text: string): string {
  const scheme = /^[a-z][a-z\d+.-]{0,30}:\/\//i.exec(text)?.[0];
  const shown = scheme === undefined ? "" : ` that begins with ${describe(scheme)}`;
  return `text${shown}, which is not shown because it may contain a password`;
}

/** By its shape: the application may have another copy of the package than ours. */
export function isPool(place: unknown): place is Pool {
  const { connect, query, on } = (place ?? {}) as Partial<Record<"connect" | "query" | "on", unknown>>;
  return [connect, query, on].every((method) => typeof method === "function");
}

/**
 * Names a place in messages: never with its password, nor with its parameters, which may hold one.
 *
 * @throws ValidationError for an address that can be read in two ways, also one that a pool has: the errors of the driver
 *   would repeat what it takes for host or database.
 */
export function shownPlace(place: PostgresPlace): string {
  if (!isPool(place)) return shownServer(place === undefined ? {} : parseAddress(place));
  const { connectionString, user, host, port, database } = place.options ?? {};
  if (typeof connectionString === "string")
    return isPostgresAddress(connectionString) ? shownServer(parseAddress(connectionString)) : "a Pool of pg";
  return shownServer({ user, host, port, database } as ServerName);
}

/** A pool may have anything where a text is expected. */
type ServerName = Partial<Record<keyof Pick<ParsedAddress, "user" | "host" | "port" | "database">, unknown>>;

/** Fills in what the driver takes from the environment, and shows it in the form of libpq. */
function shownServer(server: ServerName): string {
  const part = (given: unknown, name: string, ordinary: RegExp): string => {
    const text = String(given ?? variable(name) ?? "");
    return ordinary.test(text) ? cut(text) : "…";
  };
  const user = part(server.user, "PGUSER", ORDINARY_NAME);
  const host = part(server.host, "PGHOST", /^(?:\/[^\p{Cc}@=?&]*|[\p{L}\p{M}\p{N}._:%-]*)$/u);
  const port = part(server.port, "PGPORT", /^\d*$/);
  const database = part(server.database, "PGDATABASE", ORDINARY_NAME);
  const login = user === "" ? "" : `${encoded(user)}@`;
  if (host.startsWith("/"))
    return `postgres://${login}/${encoded(database)}?host=${host}${port === "" ? "" : `&port=${port}`}`;
  const name = host.includes(":") ? `[${host}]` : host;
  return `postgres://${login}${name || "localhost"}${port === "" ? "" : `:${port}`}/${encoded(database)}`;
}

/** A name with one of these characters is rather a password that got there by mistake. */
const ORDINARY_NAME = /^[^\p{Cc}\p{Cs}:/?#=&;\\]*$/u;

/** Escapes characters that have a meaning in an address; letters of any language stay readable. */
function encoded(name: string): string {
  return name.replaceAll(/[\s%@[\]"'<>`{}|^]/gu, encodeURIComponent);
}

/** A name of any length is still to be read in a message. */
function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const LONGEST = 100;
