import { inspect } from "node:util";
import { expect, test } from "vitest";
import { PostgresMetricsCollector } from "../src/index.ts";

const SECRET = "hunter2-s3cr3t";

const faultOf = (place: string): Error & { code?: string } => {
  try {
    void new PostgresMetricsCollector(place).close();
  } catch (error) {
    return error as Error;
  }
  throw new Error(`accepted: ${place}`);
};

// The driver's own errors for these have the whole address in them, or are none that a program can tell.
test.each([
  `postgres://alice:${SECRET}@127.0.0.1:1/\ud800`,
  `postgres://alice:${SECRET}@127.0.0.1:1/%ff`,
  `postgres://%c3%28:${SECRET}@127.0.0.1:1/db`,
  `postgres://alice:${SECRET}@127.0.0.1:99999/db`,
  `postgres://alice:${SECRET}@127.0.0.%2`,
])("an address that cannot be taken apart is refused, and its password is not repeated: %j", (place) => {
  const fault = faultOf(place);
  expect(fault.code).toBe("PERDURA_VALIDATION");
  expect(inspect(fault, { depth: 9 })).not.toContain(SECRET);
});

test("a per cent sign that begins no escape stands for itself", async () => {
  await new PostgresMetricsCollector("postgres://alice:100%@127.0.0.1:1/db").close();
});

test("parameters without their question mark are not shown", async () => {
  const metrics = new PostgresMetricsCollector(`postgres://alice@127.0.0.1:1/db&password=${SECRET}`);
  const fault = await metrics.getAllUsers().catch((error: unknown) => error);
  expect(fault).toMatchObject({ code: "PERDURA_STORAGE" });
  expect(inspect(fault, { depth: 9 })).not.toContain(SECRET);
  await metrics.close();
});

test("a message shows no more of a long address than can be read", async () => {
  const metrics = new PostgresMetricsCollector(`postgres://alice@127.0.0.1:1/${"d".repeat(70_000)}`);
  const fault = await metrics.getAllUsers().catch((error: unknown) => error as Error);
  expect((fault as Error).message.length).toBeLessThan(1000);
  await metrics.close();
});
