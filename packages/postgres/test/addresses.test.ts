import { inspect } from "node:util";
import fc from "fast-check";
import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { shownPlace } from "../src/connection/address.ts";
import { driverSettings, hostsOf } from "../src/connection/driver_settings.ts";
import { hideOptions } from "../src/connection/hidden_options.ts";
import { PostgresMetricsCollector, type PostgresPlace } from "../src/index.ts";

/** The parts of an address that the driver finally uses. */
async function partsOf(address: string): Promise<Record<string, unknown>> {
  const { user, password, host, port, database } = new pg.Client(await driverSettings(address));
  return { user, password, host, port, database };
}

function errorOf(place: PostgresPlace): Error | undefined {
  try {
    void new PostgresMetricsCollector(place).close();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((value) => !value.includes("\0"));
const host = fc.oneof(
  fc.domain(),
  fc.ipV4(),
  fc.constantFrom("[::1]", "[2001:db8::5]"),
  fc.constantFrom("my_host", "münchen", "localhost."),
  fc.constantFrom("/var/run/postgresql", "/cloudsql/a:b:c").map(encodeURIComponent),
);

test("passes the decoded parts of an encoded address to the driver", async () => {
  await fc.assert(
    fc.asyncProperty(
      text,
      text,
      host,
      fc.integer({ min: 1, max: 65_535 }),
      text,
      fc.boolean(),
      async (user, password, name, port, database, inParameters) => {
        const [u, p, d] = [user, password, database].map(encodeURIComponent);
        const address = inParameters
          ? `postgresql://${name}?user=${u}&password=${p}&port=${port}&dbname=${d}`
          : `postgres://${u}:${p}@${name}:${port}/${d}`;
        expect(errorOf(address)).toBeUndefined();
        const decoded = decodeURIComponent(name).replace(/^\[(.*)\]$/, "$1");
        expect(await partsOf(address)).toEqual({ user, password, host: decoded, port, database });
        // The driver does not decode some escapes in the name of a database.
        const { connectionParameters: own } = new pg.Client(address) as unknown as {
          connectionParameters: Record<string, unknown>;
        };
        if (!inParameters) expect(own).toMatchObject({ user, host: decoded, port });
        expect(new pg.Client(address).password).toBe(password);
      },
    ),
  );
});

const port = fc.integer({ min: 1, max: 65_535 }).map(String);

test("parses several hosts like libpq, and shows them so that they can be parsed again", async () => {
  for (const name of ["PGUSER", "PGHOST", "PGPORT", "PGDATABASE"]) vi.stubEnv(name, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = fc.record({ name: host, port: fc.option(port, { nil: undefined }) });
  const property = fc.asyncProperty(
    fc.array(server, { minLength: 1, maxLength: 4 }),
    fc.constantFrom("in the authority", "as parameters", "one port"),
    text,
    async (servers, notation, password) => {
      const names = servers.map(({ name }) => decodeURIComponent(name).replace(/^\[(.*)\]$/, "$1"));
      const standard = servers.length > 1 ? "5432" : undefined;
      const ports = servers.map((each) => (notation === "one port" ? "6432" : (each.port ?? standard)));
      const login = `me:${encodeURIComponent(password)}@`;
      const parameters = [
        `host=${names.map(encodeURIComponent).join(",")}`,
        ...(notation === "one port" ? ["port=6432"] : ports[0] === undefined ? [] : [`port=${ports.join(",")}`]),
      ];
      const authority = servers.map((each) => `${each.name}${each.port === undefined ? "" : `:${each.port}`}`);
      const address =
        notation === "in the authority"
          ? `postgres://${login}${authority.join(",")}/d`
          : `postgres://${login}/d?${parameters.join("&")}`;
      const expected = names.map((name, index) => ({ host: name, port: ports[index] }));
      expect(hostsOf(address)).toEqual(expected);
      for (const each of expected) {
        const { host: name, port: number } = await driverSettings(address, each);
        expect([name, number]).toEqual([each.host, each.port === undefined ? undefined : Number(each.port)]);
      }
      expect(hostsOf(shownPlace(address))).toEqual(expected);
      expect(shownPlace(`postgres://me@${address.slice(address.indexOf("@") + 1)}`)).toBe(shownPlace(address));
    },
  );
  await fc.assert(property, { numRuns: 500 });
});

const separators = ["@", "/", "#", "?", ":", "%", " ", "[", "]", "\\", "&", "=", "+", ";", ",", "\t", "\n", "%2", '"'];
const bit = fc.array(fc.constantFrom(...separators, "20", "a", "Zz"), { maxLength: 5 }).map((parts) => parts.join(""));
// No hexadecimal digits: after a "%" they would be an escape.
const secret = fc.string({ unit: fc.constantFrom(..."QXZKVJW"), minLength: 10, maxLength: 14 });
const scheme = fc.constantFrom("postgres://", "postgresql://", "POSTGRES://", " postgres://", "postgres:/", "pg://");

test("an unencoded password appears in no message and in no other part of the address", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(scheme, bit, bit, secret, bit, fc.constantFrom("@db.internal/agents", "@h:1/d?a=b", "@h", "@/d", "@")),
      async ([begin, user, before, word, after, end]) => {
        const address = `${begin}app${user}:${before}${word}${after}${end}`;
        for (const place of [address, new pg.Pool({ connectionString: address })]) {
          const error = errorOf(place);
          if (error !== undefined) expect(error).toMatchObject({ code: "PERDURA_VALIDATION" });
          expect(`${inspect(error, { depth: 9 })} ${JSON.stringify(error)} ${error?.message}`).not.toContain(word);
          if (error !== undefined) continue;
          expect(shownPlace(place)).not.toContain(word);
        }
        if (errorOf(address) !== undefined) return;
        const { password, ...others } = await partsOf(address);
        expect(password).toContain(word);
        expect(inspect(others)).not.toContain(word);
      },
    ),
    { numRuns: 300 },
  );
});

test.each([
  ["postgres://postgres@/agents?host=data&port=5516", "postgres://postgres@data:5516/agents"],
  ["postgres://user:pass@/db?host=/cloudsql/a:b:c", "postgres://user@/db?host=/cloudsql/a:b:c"],
  ["postgres://user@%2Fvar%2Frun/db?port=5433", "postgres://user@/db?host=/var/run&port=5433"],
  ["postgres:///db", "postgres://localhost/db"],
  [
    "postgres://me:x@a:1,[::1],b/db?target_session_attrs=primary",
    "postgres://me@a:1,[::1]:5432,b:5432/db?target_session_attrs=primary",
  ],
  ["postgres://me@/db?host=a,b&port=7&target_session_attrs=any", "postgres://me@a:7,b:7/db"],
  ["postgres://me@%2Ftmp/db?target_session_attrs=standby", "postgres://me@/db?host=/tmp&target_session_attrs=standby"],
  ["postgres://me@a,%2Ftmp:7/db", "postgres://me@/db?host=a,/tmp&port=5432,7"],
  ["postgres://", "postgres://localhost/"],
  ["postgresql://?dbname=db&user=me", "postgres://me@localhost/db"],
  ["POSTGRES://me%40corp:x@[::1]:5433/my%20db", "postgres://me%40corp@[::1]:5433/my%20db"],
  ["postgres://app%3Apw@h/db%3Dpw", "postgres://…@h/…"],
])("%s is shown as %s", (address, shown) => {
  for (const name of ["PGUSER", "PGHOST", "PGPORT", "PGDATABASE"]) vi.stubEnv(name, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(shownPlace(address)).toBe(shown);
});

test("shows the parts that come from the environment, and ignores empty variables", () => {
  for (const [name, value] of Object.entries({ PGUSER: "me", PGHOST: "/tmp", PGPORT: "5433", PGDATABASE: "" }))
    vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(shownPlace("postgres:///db")).toBe("postgres://me@/db?host=/tmp&port=5433");
  expect(shownPlace(undefined)).toBe("postgres://me@/?host=/tmp&port=5433");
  vi.stubEnv("PGHOST", "");
  expect(shownPlace(undefined)).toBe("postgres://me@localhost:5433/");
  vi.stubEnv("PGHOST", "a,b");
  expect(shownPlace(undefined)).toBe("postgres://me@a:5433,b:5433/");
  vi.stubEnv("PGPORT", "1,2");
  expect(hostsOf("postgres://")).toEqual([
    { host: "a", port: "1" },
    { host: "b", port: "2" },
  ]);
});

test.each([
  [{ host: "h", user: "me", password: "hunter2", database: "d" }, "postgres://me@h/d"],
  [{ host: "postgres://me:hunter2@h/d" }, "postgres://…/"],
  [{ database: "postgres://me:hunter2@h/d", user: "me:hunter2" }, "postgres://…@localhost/…"],
  [{ connectionString: "postgres://me:hunter2@h:5/d", host: "x" }, "postgres://me@h:5/d"],
  [{ connectionString: "/tmp hunter2" }, "a Pool of pg"],
  [{ connectionString: "socket:/tmp?db=d&password=hunter2" }, "a Pool of pg"],
])("a pool with %j is shown as %s", (options, shown) => {
  for (const name of ["PGUSER", "PGHOST", "PGPORT", "PGDATABASE"]) vi.stubEnv(name, undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(shownPlace(new pg.Pool(options))).toBe(shown);
});

test("hides options that a server repeats in its error", () => {
  const error = Object.assign(new Error('invalid value for "a.b": "hunter2 x"; hunter2'), {
    detail: "--a.b=hunter2 x",
  });
  hideOptions(error, "-c a.b=hunter2\\ x hunter2");
  expect(inspect(error)).not.toContain("hunter2");
  expect(error.message).toBe('invalid value for "a.b": "…"; …');
});
