import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { expect, test } from "vitest";
import { started } from "./server_for_tests.ts";

const where = { Bucket: "backups", Key: "k" };

async function withObject() {
  const { server, client } = await started(
    {},
    { requestChecksumCalculation: "WHEN_REQUIRED", responseChecksumValidation: "WHEN_REQUIRED" },
  );
  await client.send(new PutObjectCommand({ ...where, Body: "0123456789" }));
  const get = async () => (await client.send(new GetObjectCommand(where))).Body?.transformToString();
  return { server, get, put: (Body: string) => client.send(new PutObjectCommand({ ...where, Body })) };
}

test("resets connections before and after the operation", async () => {
  const { server, get, put } = await withObject();
  server.faults.next({ on: "PutObject", what: "reset" });
  await expect(put("new")).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(await get()).toBe("0123456789");
  server.faults.next({ on: "PutObject", what: "lose answer" });
  await expect(put("new")).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(await get()).toBe("new");
});

test("delays, refuses, truncates and corrupts answers", async () => {
  const { server, get } = await withObject();
  server.faults.next({
    on: "GetObject",
    times: 2,
    after: 1,
    what: { status: 503, code: "SlowDown", message: "Please reduce your request rate." },
  });
  expect(await get()).toBe("0123456789");
  for (const _ of [1, 2]) await expect(get()).rejects.toMatchObject({ name: "SlowDown" });
  server.faults.next({ what: "truncate" });
  await expect(get()).rejects.toThrow("aborted");
  server.faults.next({ what: "corrupt" });
  expect(await get()).toBe("1123456789");
  expect(server.faults.requests).toEqual(["PutObject", ...Array.from({ length: 5 }, () => "GetObject")]);
  for (const what of ["hang", "hang in body"] as const) {
    let seen = () => {};
    const asked = new Promise<void>((resolve) => (seen = resolve));
    server.faults.next({ what, seen });
    const answer = get();
    await asked;
    await expect(Promise.race([answer, new Promise((resolve) => setImmediate(resolve, "nothing"))])).resolves.toBe(
      "nothing",
    );
    answer.catch(() => {});
  }
});
