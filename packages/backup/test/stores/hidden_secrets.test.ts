import { inspect } from "node:util";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { openBackupStore } from "../../src/index.ts";
import { runProgram } from "../cli/run_program.ts";

/** Places where users put secrets, each in an address that is refused; `SECRET` is replaced by the secret. */
const ADDRESSES = [
  "s3://AKIAEXAMPLE:SECRET@bucket/prefix",
  "s3://AKIAEXAMPLE/SECRET@bucket/prefix",
  "s3://SECRET@bucket",
  "SECRET3://KEY:SECRET@bucket",
  "s3:KEY:SECRET@bucket/prefix",
  "s3:/KEY:SECRET@bucket/prefix",
  "s3://bucket/prefix@SECRET@host",
  "s3://bucket/prefix?aws_secret_access_key=SECRET",
  "s3://bucket/prefix?aws_access_key_id=AKIA&aws_secret_access_key=SECRET&region=eu-west-1",
  "s3://bucket/prefix?X-Amz-Signature=SECRET",
  "s3://bucket/prefix&secret=SECRET",
  "s3://bucket/prefix?SECRET",
  "s3://bucket/prefix?region=eu-west-1&SECRET=1",
  "s3://bucket/prefix#SECRET",
  "s3://bucket?endpoint=http://user:SECRET@host:9000",
  "s3://bucket?endpoint=http://SECRET@host",
  "s3://bucket?endpoint=https://host/?token=SECRET",
  "s3://bucket?endpoint=user:SECRET@host:9000",
  "s3://KEY:SECRET",
  "s3://KEY%3ASECRET%40bucket/prefix",
  "s3://bucket/prefix%3Faws_secret_access_key%3DSECRET",
  "s3://bucket/prefix?endpoint=http%3A%2F%2Fuser%3ASECRET%40host",
  "s3://bucket/prefix?AWSAccessKeyId=AKIA&Signature=SECRET&Expires=1",
  "s3://bucket/prefix?awsSecretAccessKey=SECRET",
  "s3://bucket/prefix?session_token=SECRET",
  "s3://bucket/prefix?password=SECRET",
  "s3://bucket:SECRET@host/prefix",
  "s3+https://KEY:SECRET@host/bucket",
  " s3://KEY:SECRET@bucket",
  "az://user:SECRET@container/prefix",
  "az://container/prefix%3Fsv=1%26sig%3DSECRET",
  "AZ://container@account.blob.core.windows.net/p?sig=SECRET",
  "az://container@account.blob.core.windows.net@SECRET/prefix",
  "az://container/prefix?sv=2024-11-04&ss=b&sig=SECRET&se=2030-01-01",
  "az://container@account.blob.core.windows.net/prefix?sv=2024-11-04&sig=SECRET",
  "az://account:SECRET@account.blob.core.windows.net/container",
  "https://account.blob.core.windows.net/container?sv=2024-11-04&sig=SECRET",
  "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=SECRET;EndpointSuffix=core.windows.net",
  "BlobEndpoint=https://a.blob.core.windows.net;SharedAccessSignature=sv=1&sig=SECRET",
  "AccountName = a; AccountKey = SECRET",
  "gs://user:SECRET@bucket/prefix",
  "gs://SECRET@bucket/prefix",
  "gs://bucket/prefix?access_token=SECRET",
  "gs://bucket/prefix&access_token=SECRET",
  "gs://bucket/prefix#SECRET",
  "gs://KEY:SECRET",
  "file://user:SECRET@localhost/srv/backups",
  "file://user:SECRET@host/srv/backups",
  "file:///user:SECRET@host/srv/backups",
  "file:////user:SECRET@host/srv/backups",
  "file:///srv/backups?token=SECRET",
  "file:///srv/backups%3Ftoken%3DSECRET",
  "file:///srv/backups#SECRET",
  "https://user:SECRET@host/backups",
  "//user:SECRET@host/backups",
  "user:SECRET@host/backups",
];

/** Form of the pieces of secrets, which occurs in no message. */
const MARK = /zq[0-9a-f]{5}/;

/** Pieces that no message contains otherwise, separated by characters that are unencoded in keys and passwords. */
const SECRETS = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: 0xfffff }), { minLength: 1, maxLength: 4 }),
    fc.constantFrom(..."@/:#?&=+%;,!$'\"\\~^ ", "@@", "://", "?sig=", "%40", "\u0007", "\n", "é"),
    fc.constantFrom("", "@", "/", ":", "=", "=="),
  )
  .map(
    ([pieces, between, end]) => pieces.map((piece) => `zq${piece.toString(16).padStart(5, "0")}`).join(between) + end,
  );

const CASES = fc.record({
  address: fc.constantFrom(...ADDRESSES),
  secret: SECRETS,
  encoded: fc.boolean(),
});

function addressOf({ address, secret, encoded }: { address: string; secret: string; encoded: boolean }): string {
  return address.replace("SECRET", () => (encoded ? encodeURIComponent(secret) : secret));
}

test("refuses every address with a secret, without any of it in the error", async () => {
  const property = fc.asyncProperty(CASES, async (given) => {
    const fault: unknown = await openBackupStore(addressOf(given)).catch((error: unknown) => error);
    expect(isPerduraError(fault, "PERDURA_VALIDATION")).toBe(true);
    expect(`${inspect(fault, { depth: 9, showHidden: true })} ${JSON.stringify(fault)}`).not.toMatch(MARK);
  });
  await fc.assert(property, { numRuns: 400 });
});

test("refuses it as the path of a library, without any of it in the error", async () => {
  const store = await openBackupStore("file:///nowhere/at/all");
  const property = fc.asyncProperty(CASES, async (given) => {
    const path = addressOf(given);
    for (const call of [() => store.backup(path, { name: "agents" }), () => store.restore("agents", { to: path })]) {
      const fault: unknown = await call().catch((error: unknown) => error);
      expect(isPerduraError(fault, "PERDURA_VALIDATION")).toBe(true);
      expect(`${inspect(fault, { depth: 9, showHidden: true })} ${JSON.stringify(fault)}`).not.toMatch(MARK);
    }
  });
  await fc.assert(property, { numRuns: 200 });
  await store.close();
});

test("the program refuses it anywhere on the command line, and prints none of it", async () => {
  const lines: ((address: string) => string[])[] = [
    (address) => ["list", address],
    (address) => ["verify", address, "--json"],
    (address) => ["push", address, "agents.db"],
    (address) => ["push", "file:///nowhere/at/all", address],
    (address) => ["pull", address, "agents", "--to", "agents.db"],
    (address) => ["pull", "file:///nowhere/at/all", "agents", "--to", address],
    (address) => ["prune", address, "--keep-last", "1", "--yes"],
    (address) => ["list", "file:///nowhere/at/all", address],
    (address) => ["list", "file:///nowhere/at/all", "agents", address],
    (address) => [address],
    (address) => ["list", `--address=${address}`],
    (address) => ["list", "file:///nowhere/at/all", "--tries", address],
    (address) => ["pull", "file:///nowhere/at/all", "n", "--to", "a", "--to", address],
  ];
  const property = fc.asyncProperty(CASES, fc.constantFrom(...lines), async (given, line) => {
    const { code, stdout, stderr } = await runProgram(...line(addressOf(given)));
    expect([1, 2]).toContain(code);
    expect(stdout).toBe("");
    expect(stderr).not.toMatch(MARK);
  });
  await fc.assert(property, { numRuns: 400 });
});

/** Environments, each with a secret that the SDKs or Node.js would repeat. */
const ENVIRONMENTS: [address: string, environment: (secret: string) => Record<string, string>][] = [
  ["gs://bucket/prefix", (secret) => ({ STORAGE_EMULATOR_HOST: `http://user:${secret}@127.0.0.1:1` })],
  ["gs://bucket/prefix", (secret) => ({ GOOGLE_APPLICATION_CREDENTIALS: `{"private_key": "${secret}"}` })],
  [
    "gs://bucket/prefix",
    (secret) => ({
      STORAGE_EMULATOR_HOST: "https://127.0.0.1:1",
      HTTPS_PROXY: `http://user:${secret.replaceAll("@", "")}/@127.0.0.1:1`,
    }),
  ],
  [
    "az://container/prefix",
    (secret) => ({
      AZURE_STORAGE_CONNECTION_STRING: `BlobEndpoint=http://127.0.0.1:1/dev;SharedAccessSignature=sig=${secret}`,
    }),
  ],
  [
    "az://container/prefix",
    (secret) => ({
      AZURE_STORAGE_CONNECTION_STRING: `BlobEndpoint=http://user:${secret}@127.0.0.1:1/dev;AccountName=dev;AccountKey=c2VjcmV0`,
    }),
  ],
  [
    "az://container@account.blob.core.windows.net/prefix",
    (secret) => ({
      AZURE_STORAGE_KEY: "c2VjcmV0",
      HTTPS_PROXY: `http://user:${secret.replaceAll("@", "")}/@127.0.0.1:1`,
    }),
  ],
  ["s3://bucket/prefix", (secret) => ({ AWS_ENDPOINT_URL: `http://user:${secret}@127.0.0.1:1` })],
  ["s3://bucket/prefix?endpoint=http://127.0.0.1:1", (secret) => ({ AWS_SESSION_TOKEN: secret })],
  ["s3://bucket/prefix?endpoint=http://127.0.0.1:1", (secret) => ({ AWS_SECRET_ACCESS_KEY: secret })],
];

test.each(ENVIRONMENTS)("%s: errors contain no secret of the environment: %o", async (address, environmentOf) => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const property = fc.asyncProperty(SECRETS, async (secret) => {
    const aws = { AWS_ACCESS_KEY_ID: "AKIA", AWS_SECRET_ACCESS_KEY: "x", AWS_REGION: "eu-west-1" };
    for (const [name, value] of Object.entries({ ...aws, ...environmentOf(secret) })) vi.stubEnv(name, value);
    const opened = openBackupStore(address, { tries: 1 });
    const fault: unknown = await opened.then(
      (store) => store.list().catch((error: unknown) => error),
      (error: unknown) => error,
    );
    expect(isPerduraError(fault), String(fault)).toBe(true);
    expect(`${inspect(fault, { depth: 9, showHidden: true })} ${JSON.stringify(fault)}`).not.toMatch(MARK);
    vi.unstubAllEnvs();
  });
  await fc.assert(property, { numRuns: 25 });
});
