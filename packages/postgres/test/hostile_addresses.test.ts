import { inspect } from "node:util";
import { expect, test } from "vitest";
import { PostgresMetricsCollector, type PostgresPlace } from "../src/index.ts";

const SECRET = "hunter2-s3cr3t";

const faultOf = (place: PostgresPlace): Error & { code?: string } => {
  try {
    void new PostgresMetricsCollector(place).close();
  } catch (error) {
    return error as Error;
  }
  throw new Error(`expected a refusal of ${String(place)}`);
};

// The driver's own errors for these contain the whole address, or have no code.
test.each([
  `postgres://alice:${SECRET}@127.0.0.1:1/\ud800`,
  `postgres://alice:${SECRET}@127.0.0.1:1/%ff`,
  `postgres://%c3%28:${SECRET}@127.0.0.1:1/db`,
  `postgres://alice:${SECRET}@127.0.0.1:99999/db`,
  `postgres://alice:${SECRET}@127.0.0.%2`,
  `postgres://alice:${SECRET}%@127.0.0.1:1/db`,
  `postgres://alice:${SECRET}%00@127.0.0.1:1/db`,
  `postgres://alice@127.0.0.1:1/db&password=${SECRET}`,
  `postgres://alice@127.0.0.1:1/db;password=${SECRET}`,
  // The driver and libpq would read a part of the password as a host, a port or a database.
  `postgres://app:2024/${SECRET}@db.internal/agents`,
  `postgres://app:Ab1@${SECRET}/xyz99@db.internal/agents`,
  `postgres://app:Ab1@${SECRET}@db.internal/agents`,
  `postgres://app:20#${SECRET}@db.internal/agents`,
  `postgres://app:20?${SECRET}@db.internal/agents`,
  `postgres://app:${SECRET}#x@db.internal/agents`,
  `postgres://app:${SECRET}`,
  `postgres://app:${SECRET}/agents`,
  `postgres://app:${SECRET} x@db.internal/agents`,
  `postgres://app:${SECRET}\tx@db.internal/agents`,
  `postgres://app:x@[${SECRET}/db`,
  `postgres://app:x@${SECRET}%40db/agents`,
  `postgres://app%3A${SECRET}%40db/agents`,
  `postgres://app,${SECRET}:x/agents`,
  `postgres://db.internal/agents?${SECRET}`,
  `postgres://db.internal/agents?password=a+${SECRET}`,
  `postgres://db.internal/agents?password=a&${SECRET}=b`,
  `postgres://db.internal/agents?host=/tmp@${SECRET}`,
  `postgres://db.internal/agents?host=a:${SECRET}`,
  `postgres://db.internal/agents?port=${SECRET}`,
  `postgres://db.internal/agents?sslmode=${SECRET}`,
  `postgres://db.internal/agents?target_session_attrs=${SECRET}`,
  `postgres://app@db.internal/agents?password=a&host=${SECRET}`,
  `postgres://app@db.internal/agents?password=a&user=${SECRET}`,
  `postgres://db.internal/agents?password=a&dbname=${SECRET}`,
  `postgres:/app:${SECRET}@db.internal/agents`,
  `postgres//app:${SECRET}@db.internal/agents`,
  `postgresql+psycopg2://app:${SECRET}@db.internal/agents`,
  ` postgres://app:${SECRET}@db.internal/agents`,
  `postgres://app:${SECRET}@db.internal/agents\n`,
  `"postgres://app:${SECRET}@db.internal/agents"`,
  `host=db.internal password=${SECRET}`,
  `${SECRET}@db.internal`,
])("refuses an address that cannot be parsed, without showing its password: %j", (place) => {
  const fault = faultOf(place);
  expect(fault.code).toBe("PERDURA_VALIDATION");
  expect(inspect(fault, { depth: 9 })).not.toContain(SECRET);
});

test.each([
  ["postgres://a:b@c@h/d", /more than one "@".* Encode the password.* encodeURIComponent: "%40" for "@"/],
  ["postgres://a:1/2@h/d", /an "@" after the first "\/" or "\?"/],
  ["postgres://a:b#c@h/d", /a "#", which begins a fragment/],
  ["postgres://a@h/b/c", /the name of the database contains a character/],
  ["postgres://a:b c@h/d", /a space, a line end/],
  ["postgres://a:100%@h/d", /a "%" is not followed/],
  ["postgres://u@h/d?password=a&host=b", /"host" after the password .* Write "%26" for an "&" in the password/],
  ["mysql://u:p@h/d", /"mysql:\/\/".* Only servers of PostgreSQL are supported/],
  ["postgresql+psycopg://u:p@h/d", /"postgresql\+psycopg:\/\/".* Write postgres:\/\/ in place of that scheme/],
  ["jdbc:postgresql://u:p@h/d", /Write postgres:\/\/ in place of that scheme/],
  ["postgres://app:pw", /HOST:PORT with a number/],
])("refuses %s with the reason and what to do", (place, message) => {
  expect(faultOf(place).message).toMatch(message);
});

test("truncates a long address in messages", async () => {
  const metrics = new PostgresMetricsCollector(`postgres://alice@127.0.0.1:1/${"d".repeat(70_000)}`);
  const fault = await metrics.getAllUsers().catch((error: unknown) => error as Error);
  expect((fault as Error).message.length).toBeLessThan(1000);
  await metrics.close();
});
