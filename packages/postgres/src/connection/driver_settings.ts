import { accessSync, constants } from "node:fs";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import { redactSecrets } from "@perdura/internals/terminal/redact_secrets.js";
import { quote } from "@perdura/internals/text/describe.js";
import type { PoolConfig } from "pg";
import { assertEnvironment, TIMEOUTS, variable } from "./libpq_settings.ts";
import { loadPg } from "./load_pg.ts";
import { assertPairs, checkedHosts, checkedPorts, type ParsedAddress, parseAddress } from "./parsed_address.ts";

const NOTHING: ParsedAddress = {
  user: undefined,
  password: undefined,
  hosts: [],
  ports: [],
  database: undefined,
  parameters: new Map(),
};

/** Parameters for TLS files, with libpq's environment variables. The driver only reads the parameters. */
const FILES = { sslrootcert: "PGSSLROOTCERT", sslcert: "PGSSLCERT", sslkey: "PGSSLKEY" } as const;

/** A server of an address. The driver has its own defaults for missing parts. */
export interface Host {
  host: string | undefined;
  port: string | undefined;
}

/**
 * The servers that an address and libpq's environment variables name, in the order in which they are to be tried.
 *
 * @throws ValidationError for a variable with other text, or with another number of ports.
 */
export function hostsOf(address: string | undefined): Host[] {
  const parsed = address === undefined ? NOTHING : parseAddress(address);
  const [hosts, ports] = [
    parsed.hosts.length > 0 ? parsed.hosts : checkedHosts([variable("PGHOST")].flatMap(listed), "PGHOST"),
    parsed.ports.length > 0 ? parsed.ports : checkedPorts([variable("PGPORT")].flatMap(listed), "PGPORT"),
  ];
  const named: readonly (string | undefined)[] = hosts.length > 0 ? hosts : [undefined];
  assertPairs(named, ports, parsed.ports.length > 0 ? "The port in the address" : "PGPORT");
  return named.map((host, index) => ({ host, port: ports.length > 1 ? ports[index] : ports[0] }));
}

function listed(value: string | undefined): string[] {
  return value?.split(",") ?? [];
}

/** The kind of server that an address or `PGTARGETSESSIONATTRS` asks for. */
export function targetOf(address: string | undefined): string {
  const parameter = address === undefined ? undefined : parseAddress(address).parameters.get("target_session_attrs");
  return (parameter || variable("PGTARGETSESSIONATTRS")) ?? "any";
}

/**
 * Converts an address and libpq's environment variables to settings of the driver for one of the servers. The parts are
 * passed separately, so that only perdura parses the address. The driver reads missing settings from the environment.
 *
 * @throws ValidationError for a setting that the driver cannot apply; it names the parameter, the variable or the file.
 */
export async function driverSettings(
  address: string | undefined,
  { host, port }: Host = hostsOf(address)[0] as Host,
): Promise<PoolConfig> {
  const { parameters, password, ...server } = address === undefined ? NOTHING : parseAddress(address);
  assertEnvironment(parameters);
  const parameter = (name: string): string | undefined => parameters.get(name) || undefined;
  const idle = wholeNumber("keepalives_idle", parameter("keepalives_idle"));
  const config = {
    user: server.user,
    password,
    host,
    port: port === undefined ? undefined : Number(port),
    database: server.database,
    options: parameter("options"),
    application_name: parameter("application_name"),
    fallback_application_name: parameter("fallback_application_name"),
    sslnegotiation: parameter("sslnegotiation"),
    // PostgreSQL has no TLS on Unix sockets.
    ssl: host?.startsWith("/") === true ? false : await tlsSettings(parameters),
    ...Object.fromEntries(TIMEOUTS.map((name) => [name, wholeNumber(name, parameter(name))])),
    keepAlive: parameter("keepalives") === "1" || (idle !== undefined && parameter("keepalives") !== "0"),
    keepAliveInitialDelayMillis: idle === undefined ? undefined : idle * 1000,
  };
  // The driver would treat an undefined value as a setting.
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)) as PoolConfig;
}

function wholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new ValidationError("expected a whole number, got another value.", { subject: `${name} in the address` });
}

/**
 * TLS settings as the driver itself reads them from parameters. Undefined if no setting except `PGSSLMODE` is given,
 * which the driver reads itself.
 */
async function tlsSettings(parameters: ReadonlyMap<string, string>): Promise<PoolConfig["ssl"] | undefined> {
  const given = new URLSearchParams();
  for (const name of ["ssl", "sslmode", "sslnegotiation", "uselibpqcompat"]) {
    const value = parameters.get(name) ?? "";
    if (value !== "") given.set(name, value);
  }
  for (const [name, inEnvironment] of Object.entries(FILES)) {
    const inAddress = parameters.get(name) ?? "";
    const file = inAddress === "" ? variable(inEnvironment) : inAddress;
    if (file === undefined) continue;
    assertReadable(inAddress === "" ? inEnvironment : `${name} in the address`, file);
    given.set(name, file);
  }
  if (given.size === 0) return undefined;
  const mode = variable("PGSSLMODE");
  if (mode !== undefined && !given.has("sslmode") && !given.has("ssl")) given.set("sslmode", mode);
  const { Client } = await loadPg();
  let ssl: PoolConfig["ssl"];
  try {
    // The class of the driver parses the settings. It opens no connection before `connect` is called.
    ({ ssl } = new Client({ connectionString: `postgres://localhost/?${given}` }) as unknown as PoolConfig);
  } catch (cause) {
    throw new ValidationError(`the driver rejects the TLS settings: ${(cause as Error).message}`, {
      argument: "place",
      cause,
    });
  }
  const passphrase = parameters.get("sslpassword") ?? "";
  // Assigned, not copied: the driver makes the key non-enumerable to hide it from output, so a copy would lack it.
  return passphrase !== "" && typeof ssl === "object" ? Object.assign(ssl, { passphrase }) : ssl;
}

/** Checks a TLS file in advance, because the driver's error would not name the setting. */
function assertReadable(subject: string, file: string): void {
  if (file === "system")
    throw new ValidationError(
      `"system" is not supported. Remove it: with sslmode=verify-full, Node.js uses its own certificate authorities, or those of the system if it was started with --use-system-ca.`,
      { subject },
    );
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    // Without a cause, which would repeat text of a mistyped address.
    throw new ValidationError(
      `cannot read the file ${redactSecrets(quote(file))} (${(error as NodeJS.ErrnoException).code}). Nothing was sent to the server.`,
      { subject },
    );
  }
}
