import { isPostgresAddress } from "@perdura/internals/text/addresses.js";
import { ValidationError } from "@perdura/internals/errors/errors.js";

/** The decoded parts of a PostgreSQL address. A missing or empty part is undefined. */
export interface ParsedAddress {
  user: string | undefined;
  password: string | undefined;
  /**
   * Names, IP addresses without brackets, or directories of Unix sockets, which begin with a slash; none if the address
   * has no host.
   */
  hosts: readonly string[];
  /** None, one for all hosts, or one for each. */
  ports: readonly string[];
  database: string | undefined;
  /** Parameters after the question mark, without those above. If a parameter occurs twice, the last value is used. */
  parameters: ReadonlyMap<string, string>;
}

/**
 * At most one `@`, before the first slash, and no fragment. libpq and the driver parse every text of this form alike.
 */
const ADDRESS =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?(?<server>[^@/?#]*)(?:\/(?<database>[^@/?#=&:;\\[\]<>^|"{}`]*))?(?:\?(?<query>[^@#]*))?$/i;
const SERVER = /^(?<host>\[[\da-f:.]+\]|[^:[\]\\]*)(?::(?<port>\d*))?$/i;
/** Port of a host without one in a list of hosts in which others may have one, as in libpq. */
const STANDARD_PORT = "5432";

const ENCODE =
  'Encode the password, the user and the database with encodeURIComponent: "%40" for "@", "%2F" for "/", "%23" for "#", "%3F" for "?", "%25" for "%".';

/**
 * Parses an address: `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?PARAMETER=VALUE&…`. All parts are optional.
 *
 * @throws ValidationError for an address whose password libpq, the driver and the reader may identify differently. The
 * message repeats no part of it.
 */
export function parseAddress(address: string): ParsedAddress {
  if (!isPostgresAddress(address) || !address.isWellFormed()) throw unreadable("it is not a URL.");
  if (/[\s\p{Cc}]/u.test(address))
    throw unreadable('it contains a space, a line end or a control character. Remove it, or write "%20" for a space.');
  const { user, password, server = "", database, query } = ADDRESS.exec(address)?.groups ?? refuseSyntax(address);
  const servers = server.split(",").map((each) => SERVER.exec(each)?.groups ?? refuseServer());
  if (servers.length > 1 && servers.some(({ host }) => host === "")) throw unreadable("a host in the list is empty.");
  const parameters = parsedParameters(query ?? "");
  const port = servers.map((each) => each["port"] ?? "").join("");
  assertNoCutPassword(parameters, { user, host: server, port, dbname: database });
  const taken = (name: string): string | undefined => {
    const value = parameters.get(name);
    parameters.delete(name);
    return value === "" ? undefined : value;
  };
  const own = servers.map(({ host }) => decoded(host)?.replace(/^\[(.+)\]$/, "$1"));
  const ownPorts = servers.map((each) => decoded(each["port"]) ?? (servers.length > 1 ? STANDARD_PORT : undefined));
  const parsed = {
    user: taken("user") ?? decoded(user),
    password: taken("password") ?? decoded(password),
    hosts: checkedHosts(taken("host")?.split(",") ?? own, "The host in the address"),
    ports: checkedPorts(taken("port")?.split(",") ?? ownPorts, "The port in the address"),
    database: taken("dbname") ?? decoded(database),
    parameters,
  };
  if (parsed.hosts.length > 0) assertPairs(parsed.hosts, parsed.ports, "The port in the address");
  return parsed;
}

function unreadable(reason: string): ValidationError {
  return new ValidationError(
    `cannot parse the address: ${reason} ${ENCODE} The address is not shown, because it may contain a password.`,
    { argument: "place" },
  );
}

function refuseSyntax(address: string): never {
  if (address.includes("#")) throw unreadable('it contains a "#", which begins a fragment.');
  if ((address.match(/@/g) ?? []).length > 1) throw unreadable('it contains more than one "@".');
  if (/^[^/]*\/\/[^/?]*[/?].*@/.test(address))
    throw unreadable('it contains an "@" after the first "/" or "?", where no password is expected.');
  throw unreadable(
    'the name of the database contains a character that must be encoded, or the "?" before the parameters is missing.',
  );
}

function refuseServer(): never {
  throw unreadable("host and port are neither HOST nor HOST:PORT with a number as the port.");
}

/**
 * @param hosts Undefined for the host of an address without one.
 * @param subject Place of the hosts, for messages.
 * @throws ValidationError for text that is not a host. The message does not show it.
 */
export function checkedHosts(hosts: readonly (string | undefined)[], subject: string): string[] {
  return hosts.filter((host) => host !== undefined).map((host) => checkedHost(host, subject));
}

function checkedHost(host: string, subject: string): string {
  // libpq separates hosts by commas, also those of directories.
  if (/^(?:\/[^,]*|[\da-f:.]+(?:%[\w.-]+)?)$/i.test(host)) return host;
  if (/^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._-]*$/u.test(host)) return host;
  throw new ValidationError(
    `expected a name, an IP address, or the directory of a Unix socket, which begins with "/"; got another value, which is not shown because it may contain a password. ${ENCODE}`,
    { subject },
  );
}

/** @throws ValidationError for a text that is not a number from 1 to 65535. The message does not show it. */
export function checkedPorts(ports: readonly (string | undefined)[], subject: string): string[] {
  return ports.filter((port) => port !== undefined).map((port) => checkedPort(port, subject));
}

function checkedPort(port: string, subject: string): string {
  if (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535) return port;
  throw new ValidationError(
    `expected one number from 1 to 65535, or one for each host; got another value, which is not shown because it may contain a password. ${ENCODE}`,
    { subject },
  );
}

/** @throws ValidationError if there are several ports, but not one for each host. */
export function assertPairs(hosts: readonly unknown[], ports: readonly string[], subject: string): void {
  if (ports.length > 1 && ports.length !== hosts.length)
    throw new ValidationError(
      `expected one number from 1 to 65535, or one for each host; got ${ports.length} ports for ${hosts.length === 1 ? "one host" : `${hosts.length} hosts`}.`,
      { subject },
    );
}

function parsedParameters(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const parameter of query.split("&").filter((text) => text !== "")) {
    const [, name, value] = /^([^=]*)=(.*)$/.exec(parameter) ?? [];
    if (name === undefined || value === undefined) throw unreadable("a parameter has no value.");
    // A blank for the driver, but a plus sign for libpq.
    if (parameter.includes("+"))
      throw unreadable('a parameter contains a "+". Write "%2B" for a plus sign and "%20" for a space.');
    parameters.set(decoded(name) ?? "", decoded(value) ?? "");
  }
  return parameters;
}

/**
 * Refuses a part of the address that a parameter after the password names again: it may be the end of a password that
 * contains `&host=`, and messages would show it as the host.
 */
function assertNoCutPassword(
  parameters: ReadonlyMap<string, string>,
  before: Readonly<Record<string, string | undefined>>,
): void {
  const names = [...parameters.keys()];
  const after = parameters.has("password") ? names.slice(names.indexOf("password") + 1) : [];
  const repeated = after.find((name) => (before[name] ?? "") !== "");
  if (repeated !== undefined)
    throw unreadable(
      `the parameter "${repeated}" after the password names a part again that the address has before the "?". Write "%26" for an "&" in the password, or name the part once.`,
    );
}

/** Decodes a part; returns undefined for an empty one. */
function decoded(part: string | undefined): string | undefined {
  if (part === undefined || part === "") return undefined;
  if (/%(?![\da-f]{2})/i.test(part)) throw unreadable('a "%" is not followed by two hexadecimal digits.');
  try {
    const text = decodeURIComponent(part);
    // NUL ends a text in PostgreSQL's protocol.
    if (!text.includes("\0")) return text;
  } catch {
    throw unreadable("a percent-encoded sequence is not UTF-8.");
  }
  throw unreadable('it contains "%00".');
}
