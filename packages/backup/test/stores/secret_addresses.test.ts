import { inspect } from "node:util";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { expect, test } from "vitest";
import { openBackupStore } from "../../src/index.ts";

const SECRET = "hunter2-s3cr3t";

test.each([
  `file://user:${SECRET}@localhost/srv/backups`,
  `file:///srv/backups?token=${SECRET}`,
  `gs://${SECRET}@bucket/prefix`,
  `gs://bucket/prefix?token=${SECRET}`,
  `gs://bucket/prefix#${SECRET}`,
  `gs:///${SECRET}`,
  `s3://AKIA:${SECRET}@bucket/prefix`,
  `s3://bucket/prefix?endpoint=https://user:${SECRET}@host`,
  `az://user:${SECRET}@container/prefix`,
  `https://user:${SECRET}@host/backups`,
])("refuses an address with a secret, without the secret in the error: %s", async (address) => {
  const fault: unknown = await openBackupStore(address).catch((error: unknown) => error);
  expect(isPerduraError(fault, "PERDURA_VALIDATION")).toBe(true);
  expect(inspect(fault, { depth: 9 })).not.toContain(SECRET);
});
