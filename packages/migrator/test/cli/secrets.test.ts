import { inspect } from "node:util";
import { PatternPersistence, PatternLibrary } from "@perdura/v16";
import { expect, test } from "vitest";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { copyData } from "../../src/index.ts";
import { runProgram } from "../support/run_program.ts";

const ADDRESS = "postgres://alice:hunter2@127.0.0.1:1/agents";

test.each([
  [["plan", "postgres:/alice:hunter2@db/agents"]],
  [["plan", "AccountName=a;AccountKey=hunter2==;EndpointSuffix=x"]],
  [[ADDRESS, "x"]],
  [["plan", ADDRESS]],
  [["verify", ADDRESS, ".", "--json"]],
  [["copy", ADDRESS, ADDRESS]],
])("the password of an address is not repeated, wherever it stands: %j", async (words) => {
  const { code, stdout, stderr } = await runProgram(...words);
  expect(code).toBe(2);
  expect(stdout + stderr).toMatch(/^perdura-migrate: /);
  expect(stdout + stderr).not.toContain("hunter2");
});

// No server listens at any of them.
test.each([
  "postgresql://user:SECRET@127.0.0.1:1/db?connect_timeout=1",
  "postgres://user:SECRET@127.0.0.1:1/db?sslmode=require&connect_timeout=1",
  "postgresql://127.0.0.1:1/db?user=me&password=SECRET&connect_timeout=1",
  "postgresql://user:SECRET@no such host/db",
  "postgresql://user:SECRET@[::1/db",
  "postgresql:/user:SECRET@127.0.0.1:1/db",
  "postgresql://user:SECRET@127.0.0.1:1:99999/db",
  "s3://AKIAEXAMPLE:SECRET@bucket/prefix",
  "s3://bucket/prefix?endpoint=http://user:SECRET@127.0.0.1:1&region=eu-west-1",
  "az://container/prefix?sv=2024-01-01&sig=SECRET",
  "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=SECRET;EndpointSuffix=core.windows.net",
  "gs://bucket/prefix?X-Goog-Signature=SECRET",
  "https://user:SECRET@127.0.0.1:1/x",
  "file://user:SECRET@host/x",
])("copying to or from %s fails without the secret", async (pattern) => {
  const source = `${freshFolder()}/library.db`;
  PatternPersistence.saveToSqlite(new PatternLibrary(), source);
  const address = pattern.replace("SECRET", "S3cr3t%2Fx");
  const errors = await Promise.all(
    [copyData(source, address), copyData(address, `${source}.new`)].map((copy) =>
      copy.catch((error: unknown) => error),
    ),
  );
  const ended = [await runProgram("copy", "--json", source, address), await runProgram("plan", "--json", address)];
  expect(errors).toEqual([expect.any(Error), expect.any(Error)]);
  expect(ended.map(({ code }) => code)).not.toContain(0);
  const shown = inspect(errors, { depth: 10, showHidden: true }) + JSON.stringify([...errors, ...ended]);
  expect(shown).not.toMatch(/S3cr3t(?:%2F|\/|%252F)x/);
});
