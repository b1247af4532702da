import { writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { inspect } from "node:util";
import {
  newServiceAccount,
  sendTokenRequestsTo,
  writeFederatedCredentials,
} from "@perdura/test-servers/gcs/credentials.js";
import { startGcs } from "@perdura/test-servers/gcs/gcs_server.js";
import type { GcsServer } from "@perdura/test-servers/gcs/gcs_server.js";
import { expect, onTestFinished, test, vi } from "vitest";
import { GcsApi } from "../../../src/stores/gcs/api.ts";
import { assertCredentials, credentialHeaders, machineAccess } from "../../../src/stores/gcs/credentials.ts";
import { openGcsStore } from "../../../src/stores/gcs/gcs_store.ts";
import { findObject } from "../../../src/stores/gcs/objects.ts";
import { checkedPlace } from "../../../src/stores/gcs/address.ts";
import { LIMITS, listed, uploadOf } from "./target.ts";
import { freshFolder } from "../../../../../test/fresh_folder.ts";

const account = newServiceAccount();
const REFRESH = "refresh-secret";
const SUBJECT = "subject-secret";

/** A strict server, and a home directory without credentials. */
async function machine(): Promise<{ server: GcsServer; directory: string }> {
  const directory = freshFolder();
  const server = await startGcs({
    buckets: [{ name: "kept" }],
    serviceAccounts: { [account.email]: account.publicKey },
    refreshTokens: [REFRESH],
    subjectTokens: [SUBJECT],
  });
  onTestFinished(() => server.stop());
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("HOME", directory);
  vi.stubEnv("CLOUDSDK_CONFIG", directory);
  for (const name of ["GOOGLE_APPLICATION_CREDENTIALS", "STORAGE_EMULATOR_HOST"]) vi.stubEnv(name, undefined);
  return { server, directory };
}

const user = (refresh_token: string): object => ({
  type: "authorized_user",
  client_id: "id.apps.googleusercontent.com",
  client_secret: "client-secret-of-tests",
  refresh_token,
});

test.each([
  ["a service account, in the file that the environment names", "key.json", account.key],
  ["a user, in the file that the environment names", "user.json", user(REFRESH)],
  ["a user, as gcloud leaves them", "application_default_credentials.json", user(REFRESH)],
])("accepts credentials of %s", async (_, name, content) => {
  const { server, directory } = await machine();
  writeFileSync(join(directory, name), JSON.stringify(content));
  if (!name.startsWith("application")) vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", join(directory, name));
  const access = await machineAccess(server.endpoint);
  const { credentials } = access;
  if (credentials === undefined) throw new Error("expected credentials");
  // The library has a fixed address for these.
  await sendTokenRequestsTo(server.tokenUrl, credentials);
  await assertCredentials(credentials, LIMITS);
  expect(await credentialHeaders(credentials)).toEqual({ authorization: expect.stringMatching(/^Bearer ya29\./) });
  const api = new GcsApi(access, { ...checkedPlace({ bucket: "kept" }), userProject: undefined }, LIMITS);
  expect(await findObject(api, "nothing", undefined)).toBeUndefined();
  expect(server.tokens.given).toBe(1);
  api.close();
});

test("reports a revoked refresh token without a secret", async () => {
  const { server, directory } = await machine();
  const file = join(directory, "user.json");
  writeFileSync(file, JSON.stringify(user("revoked-secret")));
  vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", file);
  const { credentials } = await machineAccess(server.endpoint);
  if (credentials === undefined) throw new Error("expected credentials");
  await sendTokenRequestsTo(server.tokenUrl, credentials);
  const error: unknown = await assertCredentials(credentials, LIMITS).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ kind: "refused", message: "invalid_grant: Token has been expired or revoked" });
  expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/revoked-secret|client-secret-of-tests/);
});

test("accepts credentials of another identity provider", async () => {
  const { server, directory } = await machine();
  const file = writeFederatedCredentials(directory, server.tokenUrl, SUBJECT);
  vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", file);
  const store = await openGcsStore({ bucket: "kept" }, LIMITS, { endpoint: server.endpoint });
  expect(await store.add(uploadOf("a", "x"))).toBe("added");
  await store.close();
});

test("accepts credentials of the metadata server of a Google machine", async () => {
  const { server } = await machine();
  const asked: (string | undefined)[] = [];
  const answerTo = async (response: ServerResponse): Promise<void> => {
    const grant = { grant_type: "urn:ietf:params:oauth:grant-type:token-exchange", subject_token: SUBJECT };
    const answer = await fetch(server.tokenUrl, { method: "POST", body: new URLSearchParams(grant) });
    response.writeHead(200, { "metadata-flavor": "Google", "content-type": "application/json" });
    response.end(await answer.text());
  };
  const metadata = createServer((request, response) => {
    asked.push(request.url);
    void answerTo(response);
  }).listen(0, "127.0.0.1");
  await once(metadata, "listening");
  onTestFinished(() => {
    metadata.close();
    metadata.closeAllConnections();
  });
  vi.stubEnv("GCE_METADATA_HOST", `127.0.0.1:${(metadata.address() as AddressInfo).port}`);
  vi.stubEnv("METADATA_SERVER_DETECTION", "assume-present");
  const store = await openGcsStore({ bucket: "kept" }, LIMITS, { endpoint: server.endpoint });
  expect(await store.add(uploadOf("a", "x"))).toBe("added");
  expect(await listed(store)).toEqual({ a: 1 });
  expect(asked.some((url) => url?.includes("/service-accounts/default/token"))).toBe(true);
  await store.close();
});
