import { ValidationError } from "@perdura/internals/errors/errors.js";
import type { ParsedAddress } from "./parsed_address.ts";

/** A parameter of libpq that the driver does not support. */
interface Unsupported {
  /** Environment variable that libpq reads if the address does not have the parameter. */
  variable?: string;
  /** Values that are accepted, because the driver behaves like that anyway. */
  passes?: RegExp;
  /** Advice in addition to removing it. */
  instead?: string;
}

const PASS_POOL = "or pass a pg Pool with the equivalent options";
const NO_GSS = "and let the server request a password or a certificate: the driver does not support GSSAPI";
const BY_SYSTEM = "and configure it in the operating system";
const PASSWORD = "and give the password";
const OPTION = "and give the option schema";

const UNSUPPORTED: Record<string, Unsupported> = {
  service: { variable: "PGSERVICE", instead: "and put the settings of the service file into the address" },
  servicefile: { instead: "and put the settings of the service file into the address" },
  hostaddr: { variable: "PGHOSTADDR", instead: "and give the IP address as the host" },
  database: { instead: "and put the name of the database after the host: postgres://HOST/DATABASE" },
  passfile: { instead: "and set the environment variable PGPASSFILE" },
  load_balance_hosts: {
    variable: "PGLOADBALANCEHOSTS",
    passes: /^disable$/,
    instead: "and list the hosts in the order in which they are to be tried",
  },
  channel_binding: { variable: "PGCHANNELBINDING", passes: /^(?:disable|prefer)$/, instead: PASS_POOL },
  require_auth: {
    variable: "PGREQUIREAUTH",
    instead: "and limit the methods in the pg_hba.conf of the server",
  },
  requirepeer: { variable: "PGREQUIREPEER" },
  requiressl: { variable: "PGREQUIRESSL", passes: /^0$/, instead: "and write sslmode" },
  gssencmode: { variable: "PGGSSENCMODE", passes: /^(?:disable|prefer)$/, instead: NO_GSS },
  gssdelegation: { variable: "PGGSSDELEGATION", passes: /^0$/, instead: NO_GSS },
  gsslib: { variable: "PGGSSLIB", instead: NO_GSS },
  krbsrvname: { variable: "PGKRBSRVNAME", instead: NO_GSS },
  sslcertmode: { variable: "PGSSLCERTMODE", passes: /^allow$/, instead: "and let sslcert decide" },
  sslcrl: { variable: "PGSSLCRL", instead: PASS_POOL },
  sslcrldir: { variable: "PGSSLCRLDIR", instead: PASS_POOL },
  sslsni: { variable: "PGSSLSNI", passes: /^1$/ },
  sslcompression: { variable: "PGSSLCOMPRESSION", passes: /^[01]$/ },
  sslkeylogfile: { instead: "and start Node.js with --tls-keylog=FILE" },
  ssl_min_protocol_version: {
    variable: "PGSSLMINPROTOCOLVERSION",
    passes: /^TLSv1(?:\.[12])?$/,
    instead: "and start Node.js with --tls-min-v1.3",
  },
  ssl_max_protocol_version: {
    variable: "PGSSLMAXPROTOCOLVERSION",
    passes: /^TLSv1\.3$/,
    instead: "and start Node.js with --tls-max-v1.2",
  },
  min_protocol_version: { variable: "PGMINPROTOCOLVERSION", passes: /^3\.0$/ },
  // The driver uses the lowest protocol version.
  max_protocol_version: { variable: "PGMAXPROTOCOLVERSION", passes: /^(?:3\.\d|latest)$/ },
  // JavaScript text is Unicode, whatever encoding the connection uses.
  client_encoding: { passes: /^/ },
  replication: { passes: /^(?:false|off|no|0)$/ },
  keepalives_interval: { instead: BY_SYSTEM },
  keepalives_count: { instead: BY_SYSTEM },
  tcp_user_timeout: { instead: BY_SYSTEM },
  scram_client_key: { instead: PASSWORD },
  scram_server_key: { instead: PASSWORD },
  oauth_issuer: { instead: PASS_POOL },
  oauth_client_id: { instead: PASS_POOL },
  oauth_client_secret: { instead: PASS_POOL },
  oauth_scope: { instead: PASS_POOL },
  // Parameters of other libraries.
  schema: { instead: OPTION },
  currentSchema: { instead: OPTION },
  search_path: { instead: OPTION },
  pgbouncer: {},
  connection_limit: { instead: PASS_POOL },
};

/** Values that the driver supports. For any other value it would not do what the setting asks for. */
const VALUES: Record<string, { variable?: string; values: readonly string[] }> = {
  sslmode: {
    variable: "PGSSLMODE",
    values: ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"],
  },
  ssl: { values: ["true", "1", "0", "no-verify"] },
  sslnegotiation: { variable: "PGSSLNEGOTIATION", values: ["postgres", "direct"] },
  target_session_attrs: {
    variable: "PGTARGETSESSIONATTRS",
    values: ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"],
  },
  uselibpqcompat: { values: ["true", "false"] },
  keepalives: { values: ["0", "1"] },
};

/** True for a value of `target_session_attrs` that restricts the choice of the server. */
export function isTarget(value: string): boolean {
  return value !== "any" && VALUES["target_session_attrs"]?.values.includes(value) === true;
}

/** Time limits, in milliseconds as whole numbers. The driver sends all except `query_timeout` to the server. */
export const TIMEOUTS = [
  "statement_timeout",
  "lock_timeout",
  "idle_in_transaction_session_timeout",
  "query_timeout",
] as const;

/** Parameters that are applied with any value, in addition to those of {@link ParsedAddress}. */
const HONOURED = new Set([
  "options",
  "application_name",
  "fallback_application_name",
  "connect_timeout",
  "keepalives_idle",
  "sslcert",
  "sslkey",
  "sslrootcert",
  "sslpassword",
  ...TIMEOUTS,
]);

/** The value of an environment variable; undefined if it is empty, as in libpq. */
export function variable(name: string): string | undefined {
  const value = process.env[name];
  return value === "" ? undefined : value;
}

/**
 * Rejects parameters of an address that the driver would ignore.
 *
 * @throws ValidationError that names the parameter, but never its value.
 */
export function assertParameters({ parameters }: ParsedAddress): void {
  for (const [index, [name, value]] of [...parameters].entries()) {
    if (value === "" || HONOURED.has(name)) continue;
    if (Object.hasOwn(VALUES, name)) assertValue(name, value, `${name} in the address`);
    else if (Object.hasOwn(UNSUPPORTED, name)) assertHarmless(name, value, `${name} in the address`, "Remove");
    // An unknown name is not shown, because it may be part of a password.
    else
      throw new ValidationError(
        `unknown parameter at position ${index + 1} of the address: neither libpq nor the driver knows it. It is not shown, because it may contain a password. Remove it; if it is part of a password, encode the password with encodeURIComponent ("%26" for "&").`,
        { argument: "place" },
      );
  }
}

/**
 * Rejects environment variables of libpq that the driver would ignore, unless the address has the parameter.
 *
 * @throws ValidationError that names the variable.
 */
export function assertEnvironment(parameters: ReadonlyMap<string, string>): void {
  for (const [name, known] of [...Object.entries(UNSUPPORTED), ...Object.entries(VALUES)]) {
    const value = known.variable === undefined ? undefined : variable(known.variable);
    if (value === undefined || known.variable === undefined || (parameters.get(name) ?? "") !== "") continue;
    if (Object.hasOwn(VALUES, name)) assertValue(name, value, known.variable);
    else assertHarmless(name, value, known.variable, "Unset");
  }
}

function assertValue(name: string, value: string, subject: string): void {
  const { values } = VALUES[name] as { values: readonly string[] };
  if (!values.includes(value))
    throw new ValidationError(`expected one of ${values.join(", ")}; got another value.`, { subject });
}

function assertHarmless(name: string, value: string, subject: string, remedy: string): void {
  const { passes, instead } = UNSUPPORTED[name] as Unsupported;
  if (passes?.test(value) === true) return;
  const what = passes === undefined ? "this setting" : "this value";
  throw new ValidationError(
    `the driver does not support ${what}. ${remedy} it${instead === undefined ? "" : `, ${instead}`}.`,
    { subject },
  );
}
