import { join } from "node:path";
import { VENDORS } from "@perdura/test-servers/s3/vendors.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../../../../../test/fresh_folder.ts";
import { needs } from "../../../../../test/needs.ts";
import { openBackupStore } from "../../../src/index.ts";
import { libraryOf } from "../../elements.ts";
import { bytes, contentOf, ELSEWHERE, errorOf, keysOf, MIB, opened, uploadOf } from "./opened_store.ts";

/** Faults with the code that every store has for them, and the sentence that names it. */
const FAULTS = [
  [403, "RequestTimeTooSkewed", /the clock of this machine is wrong/],
  [400, "ExpiredToken", /the credentials are not valid at this time/],
  [403, "InvalidAccessKeyId", /the credentials were refused/],
  [403, "AccessDenied", /the credentials do not allow this/],
  [404, "NoSuchBucket", /the bucket does not exist/],
  [501, "NotImplemented", /the store does not support this request/],
  // Without the code, which an answer to HEAD lacks, only the status is known.
  [503, "SlowDown", /the store (?:is throttling requests|failed)/],
] as const;

describe.for(VENDORS)("a store like $name", needs("own-server", ELSEWHERE !== undefined), (vendor) => {
  test("takes, returns, lists and removes objects, in one piece and in parts", async () => {
    const { store } = await opened({ vendor });
    for (const size of [0, 1000, 6 * MIB]) {
      const data = bytes(size);
      expect(await store.add(uploadOf("k", data))).toBe("added");
      expect((await contentOf(store, "k"))?.equals(data)).toBe(true);
      expect(await keysOf(store)).toEqual(["k"]);
      await store.remove("k");
      expect(await store.find("k")).toBeUndefined();
    }
  });

  test("returns what was pushed", async () => {
    const { server, store } = await opened({ vendor });
    await store.close();
    const backups = await openBackupStore(`s3://backups/b?endpoint=${server.endpoint}`);
    onTestFinished(() => backups.close());
    await backups.backup(libraryOf("p"), { name: "agents" });
    expect(await backups.verify()).toMatchObject([{ name: "agents", ok: true }]);
    await backups.restore("agents", { to: join(freshFolder(), "agents.json") });
  });

  test.for(FAULTS)("is named by the sentence for its answer: %i %s", async ([status, code, sentence]) => {
    const { server, store } = await opened({ vendor }, { tries: 1 });
    await store.add(uploadOf("k", bytes(10)));
    const what = { status, code, message: "The words of the store." };
    for (const ask of [
      () => store.add(uploadOf("l", bytes(10))),
      () => contentOf(store, "k"),
      () => keysOf(store),
      () => store.remove("k"),
    ]) {
      // An answer to HEAD has no body, so that a second request asks for the reason.
      server.faults.next({ times: 3, what });
      expect((await errorOf(ask())).message).toMatch(sentence);
      server.faults.clear();
    }
  });
});

describe("a version that the store accepts and does not return", needs("own-server", ELSEWHERE !== undefined), () => {
  test("is not called stored", async () => {
    const { server, store } = await opened();
    await store.close();
    const backups = await openBackupStore(`s3://backups/b?endpoint=${server.endpoint}`, { tries: 1 });
    onTestFinished(() => backups.close());
    const refusal = { status: 400, code: "InvalidArgument", message: "Unsupported header" };
    for (const what of [refusal, "corrupt"] as const) {
      server.faults.next({ on: "GetObject", what });
      await expect(backups.backup(libraryOf("p"), { name: "agents" })).rejects.toMatchObject({
        code: "PERDURA_STORAGE",
        mayBeWritten: true,
        message: expect.stringMatching(/was sent, but it cannot be read back: .*Do not rely on it/) as string,
      });
    }
    expect(await backups.backup(libraryOf("p"), { name: "agents" })).toMatchObject({ stored: true });
  });
});
