import { isPostgresAddress } from "@perdura/internals/config/configuration.js";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";
import type { Pool } from "pg";

/**
 * Where the server is: a `postgres://` address, a pool of the package `pg` that is there already, or undefined for what
 * libpq's environment variables say (`PGHOST`, `PGPORT`, `PGDATABASE`, `PGUSER`, `PGPASSWORD`, …).
 */
export type PostgresPlace = string | Pool | undefined;

/** @throws ValidationError for anything else; what it shows of an address holds no password. */
export function assertPlace(place: unknown): asserts place is PostgresPlace {
  if (place === undefined || isPool(place)) return;
  if (typeof place === "string" && isPostgresAddress(place) && isReadable(place)) return;
  const found = typeof place === "string" ? `text that begins ${describe(place.slice(0, 11))}` : describe(place);
  throw new ValidationError(
    `place: expected an address like postgres://user@host:5432/database, a Pool of pg, or undefined; got ${found}.`,
  );
}

/** What the driver takes apart without an error of its own, which would show the whole address. */
function isReadable(address: string): boolean {
  if (!address.isWellFormed() || !URL.canParse(address)) return false;
  try {
    // A per cent sign before what is no escape stands for itself.
    decodeURIComponent(address.replaceAll(/%(?=[^a-f0-9]|[a-f0-9][^a-f0-9])/gi, "%25"));
    return true;
  } catch {
    return false;
  }
}

/** By its shape: the application may have another copy of the package than ours. */
export function isPool(place: unknown): place is Pool {
  const { connect, query, on } = (place ?? {}) as Partial<Record<"connect" | "query" | "on", unknown>>;
  return [connect, query, on].every((method) => typeof method === "function");
}

/** Names a place in messages: never with its password, nor with the parameters, which may hold one. */
export function shownPlace(place: PostgresPlace): string {
  if (typeof place === "string") {
    const { username, host, pathname: path } = new URL(place);
    // Parameters that somebody forgot the question mark of.
    const pathname = path.includes("=") ? "/…" : path;
    return cut(`postgres://${username === "" ? "" : `${username}@`}${host}${pathname}`);
  }
  if (place === undefined) {
    const { PGUSER, PGHOST = "localhost", PGPORT, PGDATABASE } = process.env;
    return shown(PGUSER, PGHOST, PGPORT, PGDATABASE);
  }
  const { user, host, port, database, connectionString } = place.options ?? {};
  if (connectionString !== undefined && URL.canParse(connectionString)) return shownPlace(connectionString);
  return shown(user, host ?? "localhost", port, database);
}

/** An address of any length is still to be read in a message. */
function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const LONGEST = 300;

function shown(user: string | undefined, host: string, port: unknown, database: string | undefined): string {
  return `postgres://${user === undefined ? "" : `${user}@`}${host}${port === undefined ? "" : `:${String(port)}`}/${database ?? ""}`;
}
