import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { driverSettings } from "../src/connection/driver_settings.ts";
import { PostgresMetricsCollector } from "../src/index.ts";
import { metricsIn } from "./elements.ts";

const VARIABLES = Object.keys(process.env).filter((name) => name.startsWith("PG"));

/** Sets these variables of libpq for this test, and unsets all others. */
function environment(variables: Record<string, string>): void {
  for (const name of VARIABLES) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test.each([
  ["h1,,h2/db", /a host in the list is empty/],
  ["h1:1,h2:x/db", /neither HOST nor HOST:PORT/],
  ["/db?host=h1,", /^The host in the address: expected a name/],
  ["h/db?port=1,2", /^The port in the address: expected one number .* got 2 ports for one host/],
  ["h1,h2/db?port=1,2,3", /^The port in the address: expected one number .* got 3 ports for 2 hosts/],
  ["h:0/db", /^The port in the address: /],
  ["h/db?target_session_attrs=writable", /^target_session_attrs in the address: expected one of any, read-write, /],
  ["h/db?service=x", /^service in the address: the driver does not support this setting\. Remove it, and put/],
  ["h/db?servicefile=x", /^servicefile in/],
  ["h/db?hostaddr=127.0.0.1", /^hostaddr in the address: .* give the IP address as the host/],
  ["h/db?database=x", /^database in the address: .* after the host/],
  ["h/db?passfile=x", /^passfile in the address: .* PGPASSFILE/],
  ["h/db?sslcrl=x", /^sslcrl in/],
  ["h/db?channel_binding=require", /^channel_binding in the address: the driver does not support this value/],
  ["h/db?require_auth=none", /^require_auth in/],
  ["h/db?requirepeer=postgres", /^requirepeer in/],
  ["h/db?gssencmode=require", /^gssencmode in/],
  ["h/db?krbsrvname=x", /^krbsrvname in/],
  ["h/db?load_balance_hosts=random", /^load_balance_hosts in/],
  ["h/db?ssl_min_protocol_version=TLSv1.3", /^ssl_min_protocol_version in/],
  ["h/db?keepalives_count=3", /^keepalives_count in/],
  ["h/db?replication=database", /^replication in/],
  ["h/db?sslmode=allow", /^sslmode in the address: expected one of disable, /],
  ["h/db?ssl=false", /^ssl in the address: expected one of true, 1, 0/],
  ["h/db?sslnegotiation=x", /^sslnegotiation in/],
  ["h/db?schema=public", /^schema in the address: .* give the option schema\.$/],
  ["h/db?a=b&sslmod=require", /unknown parameter at position 1 of the address/],
  ["h/db?constructor=x", /unknown parameter at position 1/],
])("refuses postgres://%s and names the parameter", (rest, message) => {
  environment({});
  const refused = { code: "PERDURA_VALIDATION", message: expect.stringMatching(message) as string };
  expect(() => new PostgresMetricsCollector(`postgres://${rest}`)).toThrow(expect.objectContaining(refused) as Error);
});

test("accepts parameters whose value is the driver's default", () => {
  const harmless =
    "channel_binding=prefer&gssencmode=disable&target_session_attrs=any&load_balance_hosts=disable&sslsni=1&max_protocol_version=3.2&ssl_min_protocol_version=TLSv1.2&client_encoding=LATIN1&replication=false&service=&sslcertmode=allow";
  void new PostgresMetricsCollector(`postgres://h/d?${harmless}`).close();
});

test.each([
  ["PGSERVICE", "x"],
  ["PGHOSTADDR", "127.0.0.1"],
  ["PGTARGETSESSIONATTRS", "master"],
  ["PGLOADBALANCEHOSTS", "random"],
  ["PGCHANNELBINDING", "require"],
  ["PGREQUIREAUTH", "scram-sha-256"],
  ["PGREQUIREPEER", "postgres"],
  ["PGREQUIRESSL", "1"],
  ["PGGSSENCMODE", "require"],
  ["PGKRBSRVNAME", "x"],
  ["PGSSLCRL", "x"],
  ["PGSSLMODE", "allow"],
  ["PGSSLNEGOTIATION", "x"],
  ["PGSSLMINPROTOCOLVERSION", "TLSv1.3"],
  ["PGHOST", "h1,@h2"],
  ["PGHOST", "postgres://me:hunter2@h"],
  ["PGPORT", "5432,5433"],
  ["PGSSLROOTCERT", "system"],
])("refuses %s=%s, also with an address, but not for a pool", async (name, value) => {
  environment({ [name]: value });
  const refused = {
    code: "PERDURA_VALIDATION",
    message: expect.stringMatching(new RegExp(`^${name}: (?!.*hunter2)`)) as string,
  };
  const metrics = new PostgresMetricsCollector();
  onTestFinished(() => metrics.close());
  await expect(metrics.getAllUsers()).rejects.toMatchObject(refused);
  // An address with a host and a port needs neither variable.
  if (!/^PG(?:HOST|PORT)$/.test(name))
    await expect(metricsIn("postgres://127.0.0.1:1/d").getAllUsers()).rejects.toMatchObject(refused);
  const pool = new pg.Pool({ host: "127.0.0.1", port: 1, ssl: false });
  onTestFinished(() => pool.end());
  const pooled = new PostgresMetricsCollector(pool);
  onTestFinished(() => pooled.close());
  if (name !== "PGSSLNEGOTIATION") await expect(pooled.getAllUsers()).rejects.toThrow("ECONNREFUSED");
});

test("ignores empty variables, and prefers a parameter of the address to a variable", async () => {
  environment({ PGSERVICE: "", PGHOSTADDR: "", PGSSLROOTCERT: "", PGTARGETSESSIONATTRS: "master", PGHOST: "" });
  await expect(driverSettings(undefined)).rejects.toThrow(/^PGTARGETSESSIONATTRS: /);
  expect(await driverSettings("postgres://h?target_session_attrs=any")).toEqual({ host: "h", keepAlive: false });
});

test("passes parameters that the driver has under another name", async () => {
  environment({});
  const address =
    "postgres://u:p@h:5/d?options=-c%20a%3Db&application_name=x&statement_timeout=7&keepalives_idle=30&sslnegotiation=direct&sslmode=require&user=v";
  expect(await driverSettings(address)).toMatchObject({
    user: "v",
    options: "-c a=b",
    application_name: "x",
    statement_timeout: 7,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    sslnegotiation: "direct",
    ssl: {},
  });
  await expect(driverSettings("postgres://h?statement_timeout=x")).rejects.toThrow(/^statement_timeout in the address/);
  await expect(driverSettings("postgres://h?sslmode=verify-ca&uselibpqcompat=true")).rejects.toMatchObject({
    code: "PERDURA_VALIDATION",
    message: expect.stringContaining("sslrootcert") as string,
  });
});

test("obeys PGSSLMODE also with TLS files", async () => {
  environment({ PGSSLMODE: "disable", PGSSLROOTCERT: import.meta.filename });
  expect(await driverSettings("postgres://h")).toMatchObject({ ssl: false });
  expect(await driverSettings("postgres://h?sslmode=verify-full")).toMatchObject({
    ssl: { ca: expect.any(String) as string },
  });
});

test.each([
  [
    "postgres://h?sslrootcert=/nowhere/ca.pem",
    {},
    /^sslrootcert in the address: cannot read the file "\/nowhere\/ca.pem" \(ENOENT\)/,
  ],
  ["postgres://h?sslcert=/nowhere/c.pem", {}, /^sslcert in the address: /],
  ["postgres://h", { PGSSLROOTCERT: "/nowhere/ca.pem" }, /^PGSSLROOTCERT: cannot read the file "\/nowhere\/ca.pem"/],
  [undefined, { PGSSLKEY: "/nowhere/key.pem" }, /^PGSSLKEY: cannot read/],
  ["postgres://h?sslrootcert=/x;password=hunter2", {}, /^sslrootcert in the address: (?!.*hunter2)/],
])("names a missing TLS file: %s %j", async (address, variables, message) => {
  environment(variables);
  await expect(driverSettings(address)).rejects.toMatchObject({
    code: "PERDURA_VALIDATION",
    message: expect.stringMatching(message) as string,
  });
});
