import { randomBytes } from "node:crypto";
import { startFaultyProxy } from "@perdura/test-servers/faulty_proxy/faulty_proxy.js";
import type { FaultyProxy } from "@perdura/test-servers/faulty_proxy/faulty_proxy.js";
import type { BucketOptions } from "@perdura/test-servers/gcs/store.js";
import { startGcs } from "@perdura/test-servers/gcs/gcs_server.js";
import { type S3Options, type S3Server, startS3 } from "@perdura/test-servers/s3/server.js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type BackupStore, openBackupStore, type Pruned } from "../src/index.ts";
import { schemaErrors } from "./cli/json_schemas.ts";
import { runProgram } from "./cli/run_program.ts";
import { libraryOf } from "./elements.ts";
import { HAS_PROXY, startAzure } from "./stores/azure/azure_for_tests.ts";
import { emptyEnvironment } from "./stores/s3/opened_store.ts";
import { needs } from "../../../test/needs.ts";

const REFUSED = { status: 403, code: "AccessDenied", message: "Access Denied" };
const LOCKED = { status: 403, code: "AccessDenied", message: "Access Denied because object protected by object lock." };

/** Three versions of `agents`, the newest last. */
async function filled(store: BackupStore): Promise<number> {
  let size = 0;
  for (const id of ["one", "two", "three"]) size = (await store.backup(libraryOf(id), { name: "agents" })).size;
  return size;
}

const spaceOf = ({ freed_bytes, retained_bytes, unknown_bytes, retained_by }: Pruned) => ({
  freed_bytes,
  retained_bytes,
  unknown_bytes,
  retained_by,
});

async function onS3(options: S3Options): Promise<{ server: S3Server; store: BackupStore; address: string }> {
  const server = await startS3(options);
  onTestFinished(() => server.stop());
  emptyEnvironment();
  const { accessKeyId, secretAccessKey } = server.credentials;
  vi.stubEnv("AWS_ACCESS_KEY_ID", accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", secretAccessKey);
  const address = `s3://backups/te'am?endpoint=${server.endpoint}`;
  const store = await openBackupStore(address, { tries: 2 });
  onTestFinished(() => store.close());
  return { server, store, address };
}

describe("prune on S3 reports the freed bytes", () => {
  test.each([
    ["no versioning", {}, { freed: 2 }],
    ["versioning", { versioning: "Enabled" }, { retained: 2 }],
    ["suspended versioning", { versioning: "Suspended" }, { freed: 2 }],
    ["Object Lock", { objectLock: { mode: "COMPLIANCE", days: 30 } }, { retained: 2 }],
  ] as const)("%s", async (_, options, { freed = 0, retained = 0 }: { freed?: number; retained?: number }) => {
    const { server, store } = await onS3(options);
    await filled(store);
    const planned = await store.prune({ keepLast: 1, dryRun: true });
    const pruned = await store.prune({ keepLast: 1 });
    const bytes = pruned.removed.reduce((sum, { size }) => sum + size, 0) / 2;
    const retained_by = retained > 0 ? "the bucket has versioning" : null;
    const space = { freed_bytes: freed * bytes, retained_bytes: retained * bytes, unknown_bytes: 0, retained_by };
    expect(spaceOf(pruned)).toEqual(space);
    expect(pruned.locked).toEqual([]);
    const older = [...(server.state.buckets.get("backups")?.older.values() ?? [])].flat();
    expect(older.filter(({ object }) => object !== undefined)).toHaveLength(retained);
    // With suspended versioning, it depends on the time at which an object was written.
    const open = { freed_bytes: 0, retained_bytes: 0, unknown_bytes: 2 * bytes, retained_by: null };
    const { versioning } = options as S3Options;
    expect(spaceOf(planned)).toEqual(versioning === "Suspended" ? open : space);
    expect(pruned.how_to_free === null).toBe(retained === 0);
  });

  test("retains objects from before versioning was suspended", async () => {
    const { server, store } = await onS3({ versioning: "Enabled" });
    await filled(store);
    const bucket = server.state.buckets.get("backups");
    if (bucket !== undefined) bucket.versioning = "Suspended";
    const size = (await store.backup(libraryOf("four!"), { name: "agents" })).size;
    await store.backup(libraryOf("five"), { name: "agents" });
    const pruned = await store.prune({ keepLast: 1 });
    expect(spaceOf(pruned)).toMatchObject({ freed_bytes: size, unknown_bytes: 0 });
    expect(pruned.retained_bytes).toBe(pruned.removed.reduce((sum, each) => sum + each.size, 0) - size);
    expect(pruned.retained_by).toBe("the bucket had versioning, which is suspended");
    // Without permission to list versions, no guess is reported.
    await store.backup(libraryOf("six"), { name: "agents" });
    server.faults.next({ on: "ListObjectVersions", times: 9, what: REFUSED });
    expect(spaceOf(await store.prune({ keepLast: 1 }))).toMatchObject({ freed_bytes: 0, retained_bytes: 0 });
  });

  test("without permission to read the versioning, the responses to removals decide, and a dry run reports unknown bytes", async () => {
    const { server, store } = await onS3({ versioning: "Enabled" });
    await filled(store);
    server.faults.next({ on: "GetBucketVersioning", times: 99, what: REFUSED });
    const planned = await store.prune({ keepLast: 1, dryRun: true });
    expect(planned.unknown_bytes).toBe(planned.removed.reduce((sum, { size }) => sum + size, 0));
    expect(planned.how_to_free).toBeNull();
    const pruned = await store.prune({ keepLast: 1 });
    expect(spaceOf(pruned)).toEqual({
      freed_bytes: 0,
      retained_bytes: planned.unknown_bytes,
      unknown_bytes: 0,
      retained_by: "the bucket has versioning",
    });
  });

  test("fails without a removal if the request for the versioning fails", async () => {
    const { server, store } = await onS3({ versioning: "Enabled" });
    await filled(store);
    const what = { status: 500, code: "InternalError", message: "We encountered an internal error." };
    server.faults.next({ on: "GetBucketVersioning", times: 2, what });
    await expect(store.prune({ keepLast: 1 })).rejects.toThrow(/cannot read the versioning settings after 2 tries/);
    expect(await store.list()).toHaveLength(3);
  });

  test("prints a valid rule that can be pasted into a shell", async () => {
    const { store, server } = await onS3({ versioning: "Enabled" });
    await filled(store);
    const { how_to_free: text } = await store.prune({ keepLast: 1 });
    const [, endpoint, rule = ""] =
      /--endpoint-url '(.*)' \\\n {2}--lifecycle-configuration '([^]*)'\n/.exec(text ?? "") ?? [];
    expect(endpoint).toBe(server.endpoint);
    expect(JSON.parse(rule.replaceAll("'\\''", "'"))).toEqual({
      Rules: [
        {
          ID: "perdura-backup",
          Status: "Enabled",
          Filter: { Prefix: "te'am/" },
          NoncurrentVersionExpiration: { NoncurrentDays: 7 },
          Expiration: { ExpiredObjectDeleteMarker: true },
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 },
        },
      ],
    });
  });

  test.each([
    LOCKED,
    { status: 400, code: "InvalidRequest", message: "Object is WORM protected and cannot be overwritten" },
    { status: 403, code: "ObjectLockedByBucketPolicy", message: "Denied." },
    { status: 423, code: "Locked", message: "Try later." },
  ])("keeps a locked version and removes the others: $code $message", async (what) => {
    const { server, store } = await onS3({});
    await filled(store);
    server.faults.next({ on: "DeleteObject", what });
    const { removed, locked, kept } = await store.prune({ keepLast: 1 });
    expect([removed.length, kept.length]).toEqual([1, 1]);
    expect(locked).toMatchObject([
      { name: "agents", reason: `${what.status} ${what.code}: ${what.message.replace(/\.$/, "")}` },
    ]);
    expect((await store.list()).map(({ version }) => version)).toEqual([kept[0]?.version, locked[0]?.version]);
  });

  test("ends at any other refusal", async () => {
    const { server, store } = await onS3({});
    await filled(store);
    server.faults.next({ on: "DeleteObject", what: REFUSED });
    await expect(store.prune({ keepLast: 1 })).rejects.toThrow(/the credentials do not allow this/);
  });

  test("names a version by an address, with the endpoint at its end", async () => {
    const { server, store, address } = await onS3({});
    const { version } = await store.backup(libraryOf("one"), { name: "agents" });
    const at = (key: string): string => `s3://backups/te'am/agents${key}?endpoint=${server.endpoint}`;
    expect((await runProgram("verify", address)).stderr).toBe(`${at("")}: download: checking\n`);
    server.state.buckets.get("backups")?.put(`te'am/agents/${version}`, {
      ...server.state.buckets.get("backups")!.object(`te'am/agents/${version}`),
      metadata: { sha256: "0".repeat(64) },
    });
    const [verified] = await store.verify("agents");
    expect(verified?.problem?.startsWith(`${at(`/${version}`)}: the content differs`)).toBe(true);
  });

  test("the program reports them as text and as JSON", async () => {
    const { server, store, address } = await onS3({ versioning: "Enabled" });
    await filled(store);
    const dry = await runProgram("prune", address, "--keep-last", "1", "--dry-run");
    expect(dry.stdout).toMatch(
      /\n {2}--lifecycle-configuration '\{"Rules": \[\{\n[^]*\n\nWould remove 2 versions \(.*\); 1 would be kept\. No bytes would be freed: the store would keep [\d.]+ kB, because the bucket has versioning\.\n$/,
    );
    server.faults.next({ on: "DeleteObject", what: LOCKED });
    const pruned = await runProgram("prune", address, "--keep-last", "1", "--yes", "--json");
    expect(pruned).toMatchObject({ code: 1, stderr: "" });
    const result = JSON.parse(pruned.stdout) as Pruned;
    expect(schemaErrors("result", result)).toEqual([]);
    expect(result).toMatchObject({
      exit_code: 1,
      freed_bytes: 0,
      removed: [{}],
      locked: [{ reason: /lock/ }].map(() => ({})),
    });
    server.faults.next({ on: "DeleteObject", what: LOCKED });
    const words = await runProgram("prune", address, "--keep-last", "1", "--yes");
    expect(words.code).toBe(1);
    expect(words.stdout).toMatch(/ locked: 403 AccessDenied: Access Denied because object protected by object lock\n/);
    expect(words.stdout).toMatch(
      /\nNothing was removed; 1 kept\. 1 version is locked by the store and was not removed\.\n$/,
    );
    expect((await runProgram("prune", address, "--keep-last", "1", "--yes", "--quiet")).stdout).toMatch(
      /^Removed 1 version \(.*\); 1 kept\. No bytes were freed: the store keeps [\d.]+ (?:bytes|kB), because the bucket has versioning\.\n$/,
    );
  });
});

describe("prune on Google Cloud Storage reports the freed bytes", () => {
  async function onGcs(bucket: Partial<BucketOptions>): Promise<{ store: BackupStore; proxy: FaultyProxy }> {
    const server = await startGcs({ buckets: [{ name: "kept", ...bucket }], anonymous: true });
    onTestFinished(() => server.stop());
    const proxy = await startFaultyProxy(server.endpoint);
    onTestFinished(() => proxy.stop());
    vi.stubEnv("STORAGE_EMULATOR_HOST", proxy.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    const store = await openBackupStore("gs://kept/team", { tries: 2 });
    onTestFinished(() => store.close());
    return { store, proxy };
  }

  test.each([
    [{}, null, null],
    [{ versioning: false }, null, null],
    [{ versioning: true }, "the bucket has versioning", /"daysSinceNoncurrentTime":7,"matchesPrefix":\["team\/"\]/],
    [
      { softDelete: 604_800 },
      "the bucket has soft delete for 7 days",
      /Google frees soft-deleted objects after 7 days/,
    ],
    [
      { versioning: true, softDelete: 86_400 },
      "the bucket has versioning, and the bucket has soft delete for 1 day",
      /lifecycle[^]*--clear-soft-delete/,
    ],
  ])("%j", async (bucket, why, how) => {
    const { store } = await onGcs(bucket);
    await filled(store);
    const planned = await store.prune({ keepLast: 1, dryRun: true });
    const pruned = await store.prune({ keepLast: 1 });
    const bytes = pruned.removed.reduce((sum, { size }) => sum + size, 0);
    const [freed_bytes, retained_bytes] = why === null ? [bytes, 0] : [0, bytes];
    for (const each of [planned, pruned])
      expect(spaceOf(each)).toEqual({ freed_bytes, retained_bytes, unknown_bytes: 0, retained_by: why });
    if (how !== null) expect(pruned.how_to_free).toMatch(how);
  });

  test("reports unknown bytes without permission to read the bucket", async () => {
    const { store, proxy } = await onGcs({ versioning: true });
    await filled(store);
    proxy.faults.when({ method: "GET", url: /\/b\/kept\?/ }, { answer: { status: 403, body: "{}" } }, 9);
    const pruned = await store.prune({ keepLast: 1 });
    expect(pruned.unknown_bytes).toBe(pruned.removed.reduce((sum, { size }) => sum + size, 0));
    expect([pruned.retained_bytes, pruned.freed_bytes]).toEqual([0, 0]);
  });

  test("reports versions that a retention policy keeps", async () => {
    const { store } = await onGcs({ retention: 3600 });
    await filled(store);
    const { removed, locked } = await store.prune({ keepLast: 1 });
    expect(removed).toEqual([]);
    expect(locked.map(({ reason }) => reason)).toEqual(
      Array.from({ length: 2 }, () => expect.stringMatching(/^403 retentionPolicyNotMet: Object 'kept\/team\/agents/)),
    );
    expect(await store.list()).toHaveLength(3);
  });
});

describe("prune on Azure reports the freed bytes", needs("own-server", !HAS_PROXY), () => {
  async function onAzure(): Promise<{ store: BackupStore; proxy: FaultyProxy }> {
    const { connectionString, container, prefix, proxy, stop } = await startAzure();
    onTestFinished(stop);
    vi.stubEnv("AZURE_STORAGE_CONNECTION_STRING", connectionString);
    onTestFinished(() => void vi.unstubAllEnvs());
    const store = await openBackupStore(`az://${container.containerName}/${prefix}`, { tries: 2 });
    onTestFinished(() => store.close());
    return { store, proxy };
  }

  /** Answer to a deletion; Azurite has neither soft delete nor versions. */
  const removed = (permanent: string) => ({
    answer: { status: 202, headers: { "x-ms-delete-type-permanent": permanent, "x-ms-request-id": "r" } },
  });

  test("finds soft delete in the response", async () => {
    const { store, proxy } = await onAzure();
    await filled(store);
    proxy.faults.when({ method: "DELETE" }, removed("false"));
    proxy.faults.when({ method: "DELETE" }, removed("true"));
    const pruned = await store.prune({ keepLast: 1 });
    const [first, second] = pruned.removed;
    expect(spaceOf(pruned)).toEqual({
      freed_bytes: second?.size,
      retained_bytes: first?.size,
      unknown_bytes: 0,
      retained_by: "the account has soft delete",
    });
    expect(pruned.how_to_free).toMatch(/Azure frees .* when the retention period/);
  });

  test("reports unknown bytes without permission to list versions", async () => {
    const { store, proxy } = await onAzure();
    await filled(store);
    proxy.faults.when({ method: "GET", url: /include=versions/ }, { answer: { status: 403 } });
    proxy.faults.when({ method: "DELETE" }, removed("true"), 2);
    const pruned = await store.prune({ keepLast: 1 });
    expect([pruned.freed_bytes, pruned.retained_bytes]).toEqual([0, 0]);
    expect(pruned.unknown_bytes).toBe(pruned.removed.reduce((sum, { size }) => sum + size, 0));
  });

  test("finds versions in a listing", async () => {
    const { store, proxy } = await onAzure();
    await filled(store);
    const body = `<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="http://x/" ContainerName="c"><Blobs><Blob><Name>n</Name><VersionId>2026-01-01T00:00:00.0000000Z</VersionId><IsCurrentVersion>true</IsCurrentVersion><Properties><Content-Length>1</Content-Length></Properties></Blob></Blobs><NextMarker /></EnumerationResults>`;
    const answer = { status: 200, headers: { "content-type": "application/xml" }, body };
    proxy.faults.when({ method: "GET", url: /include=versions/ }, { answer });
    const pruned = await store.prune({ keepLast: 1, dryRun: true });
    expect(pruned.retained_bytes).toBe(pruned.removed.reduce((sum, { size }) => sum + size, 0));
    expect(pruned.retained_by).toBe("the account has versioning");
    expect(pruned.how_to_free).toMatch(/"version":\{"delete":\{"daysAfterCreationGreaterThan":7\}\}/);
  });

  test("reports a version that an immutability policy keeps", async () => {
    const { store, proxy } = await onAzure();
    await filled(store);
    const message = "This operation is not permitted as the blob is immutable due to a policy.";
    const body = `<?xml version="1.0" encoding="utf-8"?><Error><Code>BlobImmutableDueToPolicy</Code><Message>${message}\nRequestId:${randomBytes(4).toString("hex")}</Message></Error>`;
    const headers = { "x-ms-error-code": "BlobImmutableDueToPolicy", "content-type": "application/xml" };
    proxy.faults.when({ method: "DELETE" }, { answer: { status: 409, headers, body } });
    const { removed: gone, locked } = await store.prune({ keepLast: 1 });
    expect(gone).toHaveLength(1);
    expect(locked).toMatchObject([{ reason: `409 BlobImmutableDueToPolicy: ${message.slice(0, -1)}` }]);
  });
});
