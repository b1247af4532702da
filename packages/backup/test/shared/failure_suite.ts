import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Bucket } from "@google-cloud/storage";
import type { FaultyProxy } from "@perdura/test-servers/faulty_proxy/faulty_proxy.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { loadLibraryFromJson } from "@perdura/internals/patterns/json_load.js";
import { expect, test } from "vitest";
import { type BackupStore, openBackupStore } from "../../src/index.ts";
import { libraryOf } from "../elements.ts";
import type { Place } from "./place.ts";

/** An answer of an overloaded server, in the form of each service. */
const BUSY = { answer: { status: 503, headers: { "retry-after": "0" } } };

/** Lists with wrong credentials: some stores refuse at opening, others at the first request. */
async function listWithWrongCredentials(place: string | Bucket): Promise<void> {
  const unauthorized = await openBackupStore(place, { tries: 2 });
  try {
    await unauthorized.list();
  } finally {
    await unauthorized.close();
  }
}

/** Returns the store of the `describe` that the tests are in, and its place. */
type Given = () => { place: Place; store: BackupStore; folder: string };

/** Tests of what is missing. */
export function describeMissing(given: Given): void {
  test("reports a missing store and a missing library", async () => {
    const { place, store, folder } = given();
    const nowhere = await openBackupStore(place.missing, { tries: 2 });
    for (const call of [() => nowhere.list(), () => nowhere.backup(libraryOf("a"), { name: "n" })]) {
      const error = (await call().then(
        () => undefined,
        (reason: unknown) => reason,
      )) as Error;
      expect(isPerduraError(error), String(error)).toBe(true);
      expect(error.message).toMatch(/does not exist|no such file or directory/i);
    }
    await nowhere.close();
    expect(await store.list("nobody")).toEqual([]);
    await expect(store.restore("nobody", { to: join(folder, "n.json") })).rejects.toThrow(/there is no backup/);
  });
}

/** Tests of a place that has wrong credentials. */
export function describeCredentials(given: Given): void {
  test("reports refused credentials without showing them", async () => {
    const { place } = given();
    const wrong = place.wrong as NonNullable<Place["wrong"]>;
    const right = { ...process.env };
    Object.assign(process.env, wrong.environment);
    try {
      const error = (await listWithWrongCredentials(wrong.client ?? place.address).then(
        () => undefined,
        (reason: unknown) => reason,
      )) as Error;
      expect(isPerduraError(error, "PERDURA_STORAGE"), String(error)).toBe(true);
      expect(error.message).toMatch(/credential/i);
      expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(wrong.secret);
    } finally {
      for (const name of Object.keys(wrong.environment ?? {}))
        if (right[name] === undefined) delete process.env[name];
        else process.env[name] = right[name];
    }
  });
}

/** Tests of a place that has a proxy. */
export function describeFaultyNetwork(given: Given): void {
  test("survives resets, throttling, truncated and damaged responses", async () => {
    const { place, store, folder } = given();
    const proxy = place.proxy as FaultyProxy;
    for (const [number, fault] of [{ reset: "before" }, { reset: "after" }, BUSY, { truncate: 50 }].entries()) {
      const faulty = `bad day ${number}`;
      proxy.faults.next(fault as never);
      await store.backup(libraryOf("a", "b"), { name: faulty });
      expect(await store.list(faulty)).toHaveLength(1);
      proxy.faults.next(fault as never);
      await store.restore(faulty, { to: join(folder, `${faulty}.json`) });
      expect(loadLibraryFromJson(join(folder, `${faulty}.json`)).patterns.size).toBe(2);
    }
    await store.backup(libraryOf("a"), { name: "changed" });
    const to = join(folder, "changed.json");
    proxy.faults.when({ method: "GET" }, { flip: "answer" }, 100);
    const error: unknown = await store.restore("changed", { to }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    proxy.faults.clear();
    expect(isPerduraError(error), String(error)).toBe(true);
    expect(readdirSync(folder).filter((file) => file.includes("changed") || file.startsWith("."))).toEqual([]);
    await store.restore("changed", { to });
  });
}
