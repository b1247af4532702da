import { sign } from "node:crypto";
import { Storage } from "@google-cloud/storage";
import { describe, expect, test, vi } from "vitest";
import { newServiceAccount, sendTokenRequestsTo, writeFederatedCredentials } from "../../src/gcs/credentials.ts";
import { startGcs } from "../../src/gcs/gcs_server.ts";
import { freshFolder } from "../../../fresh_folder.ts";
import { talk } from "./talk.ts";
import type { Answer } from "./talk.ts";

const { email: EMAIL, publicKey, key } = newServiceAccount();
const myKey = String(key["private_key"]);

describe("tokens", () => {
  const to = talk({
    anonymous: false,
    tokens: ["right"],
    serviceAccounts: { [EMAIL]: publicKey },
    subjectTokens: ["s"],
  });
  const list = (authorization?: string): Promise<Answer> =>
    to.ask("GET", "/storage/v1/b/kept/o", undefined, authorization === undefined ? {} : { authorization });

  test("are required", async () => {
    expect((await list("Bearer right")).status).toBe(200);
    for (const wrong of [undefined, "Bearer wrong", "Basic right", "right"]) {
      const { status, json } = await list(wrong);
      expect(status).toBe(401);
      expect(json["error"]).toMatchObject({ code: 401, errors: [{ location: "Authorization" }] });
    }
  });

  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: EMAIL, scope: "https://www.googleapis.com/auth/cloud-platform", iat: now, exp: now + 3600 };
  const jwt = (changes: object, signer = myKey, alg = "RS256"): string => {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const text = `${part({ alg })}.${part({ ...claims, aud: to.server.tokenUrl, ...changes })}`;
    return `${text}.${sign("RSA-SHA256", Buffer.from(text), signer).toString("base64url")}`;
  };
  const asked = (assertion: string): Promise<Answer> =>
    to.ask(
      "POST",
      "/token",
      new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }).toString(),
      { "content-type": "application/x-www-form-urlencoded" },
    );

  test("are issued for a signed JWT", async () => {
    const { json } = await asked(jwt({}));
    expect(json).toMatchObject({ token_type: "Bearer", expires_in: 3599 });
    expect((await list(`Bearer ${String(json["access_token"])}`)).status).toBe(200);
  });

  test.each([
    ["another key", () => jwt({}, String(newServiceAccount().key["private_key"])), /^Invalid JWT Signature/],
    ["an unknown account", () => jwt({ iss: "you" }), /account not found/],
    ["another audience", () => jwt({ aud: "https://example.org" }), /audience/],
    ["a clock that is behind", () => jwt({ iat: now - 7200, exp: now - 3600 }), /reasonable timeframe/],
    ["a clock that is ahead", () => jwt({ iat: now + 7200, exp: now + 10_800 }), /reasonable timeframe/],
    ["a lifetime over one hour", () => jwt({ exp: now + 7200 }), /reasonable timeframe/],
    ["no signature", () => jwt({}, myKey, "none"), /malformed/],
    ["an invalid JWT", () => "a.b", /malformed/],
  ])("are refused for %s", async (_, assertion, message) => {
    const { status, json } = await asked(assertion());
    expect([status, json["error"]]).toEqual([400, "invalid_grant"]);
    expect(json["error_description"]).toMatch(message);
  });

  test("are refused for the scope of another service", async () => {
    expect((await asked(jwt({ scope: "https://www.googleapis.com/auth/drive" }))).json["error"]).toBe("invalid_scope");
  });

  test("are issued to Google's client for the key of an account", async () => {
    const account = newServiceAccount();
    const server = await startGcs({
      buckets: [{ name: "b" }],
      serviceAccounts: { [account.email]: account.publicKey },
    });
    try {
      const storage = new Storage({
        apiEndpoint: server.endpoint,
        useAuthWithCustomEndpoint: true,
        credentials: account.key,
        retryOptions: { autoRetry: false },
      });
      await sendTokenRequestsTo(server.tokenUrl, storage.authClient);
      expect((await storage.bucket("b").getFiles())[0]).toEqual([]);
      expect(server.tokens.given).toBe(1);
    } finally {
      await server.stop();
    }
  });

  test.each([
    ["s", true],
    ["t", false],
  ])("are issued to Google's client for the subject token %s of a federated identity: %s", async (subject, isKnown) => {
    const directory = freshFolder();
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", writeFederatedCredentials(directory, to.server.tokenUrl, subject));
    try {
      const storage = new Storage({
        apiEndpoint: to.server.endpoint,
        useAuthWithCustomEndpoint: true,
        projectId: "any",
      });
      const listed = storage.bucket("kept").getFiles();
      await (isKnown ? expect(listed).resolves.toBeDefined() : expect(listed).rejects.toThrow("invalid_grant"));
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("are refused after they were revoked", async () => {
    const server = await startGcs({ buckets: [{ name: "b" }], tokens: ["t"] });
    try {
      const status = async (): Promise<number> =>
        (await fetch(`${server.endpoint}/b/b/o`, { headers: { authorization: "Bearer t" } })).status;
      expect(await status()).toBe(200);
      server.tokens.revoke();
      expect(await status()).toBe(401);
    } finally {
      await server.stop();
    }
  });
});
