import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bucket } from "@google-cloud/storage";
import type { FaultyProxy } from "@perdura/test-servers/faulty_proxy/faulty_proxy.js";
import { loadLibraryFromJson } from "@perdura/internals/patterns/json_load.js";
import { loadLibraryFromSqlite } from "@perdura/internals/patterns/sqlite_load.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { type BackupStore, openBackupStore } from "../../src/index.ts";
import { libraryOf } from "../elements.ts";
import { memoryOf } from "./memory_of.ts";

/** Where a suite keeps its backups. */
export interface Place {
  address: string;
  /** Of the same kind, and not there. */
  missing: string;
  /** What leads to it, beside the address. */
  environment: Record<string, string>;
  /** Credentials that are refused, in the environment or in a client; absent where nobody asks for any. */
  wrong?: { secret: string; environment?: Record<string, string>; client?: Bucket };
  /** On the way to the server; absent where there is none. */
  proxy?: FaultyProxy;
  stop(): Promise<void>;
}

/** An answer of a server that has too much to do, in the words of each. */
const BUSY = { answer: { status: 503, headers: { "retry-after": "0" } } };

const LIBRARIES = readdirSync(fixture("libraries")).filter((name) => /(?<!\.expected)\.json$|\.db$/.test(name));

/** Some stores refuse whoever opens them, others whoever asks for something. */
async function listedByStranger(place: string | Bucket): Promise<void> {
  const stranger = await openBackupStore(place, { tries: 2 });
  try {
    await stranger.list();
  } finally {
    await stranger.close();
  }
}

/** Describes what backups have to do, wherever they are. */
export function backupSuite(name: string, open: () => Promise<Place>): void {
  describe(`backups in ${name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), "perdura-backup-suite-"));
    const before = { ...process.env };
    let place: Place;
    let store: BackupStore;
    beforeAll(async () => {
      place = await open();
      Object.assign(process.env, place.environment);
      store = await openBackupStore(place.address);
    });
    afterAll(async () => {
      await store.close();
      process.env = before;
      await place.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test.each(LIBRARIES)("the fixture %s comes back as it was", async (file) => {
      const path = fixture("libraries", file);
      const to = join(folder, file);
      const { format } = await store.backup(path, { name: `fixtures/${file}` });
      await store.restore(`fixtures/${file}`, { to });
      if (format === "json") expect(readFileSync(to).equals(readFileSync(path))).toBe(true);
      const load = format === "json" ? loadLibraryFromJson : loadLibraryFromSqlite;
      expect(load(to)).toEqual(load(path));
    });

    test("twenty at once of one name are twenty versions, none lost", async () => {
      const made = await Promise.all(
        Array.from({ length: 20 }, (_, index) => store.backup(libraryOf(`p${index % 3}`), { name: "together" })),
      );
      const listed = await store.list("together");
      expect(listed.map(({ version }) => version)).toEqual(
        made
          .map(({ version }) => version)
          .toSorted()
          .toReversed(),
      );
      expect(new Set(listed.map(({ version }) => version)).size).toBe(20);
      expect((await store.verify("together")).filter(({ ok }) => !ok)).toEqual([]);
      const { removed } = await store.prune({ keepLast: 3, name: "together" });
      expect(removed).toHaveLength(17);
      expect(await store.list("together")).toEqual(listed.slice(0, 3));
    });

    test("a machine whose clock is wrong neither hides what others store nor loses what it stores", async () => {
      const day = 86_400_000;
      const versions: string[] = [];
      for (const [id, ahead] of [
        ["now", 0],
        ["tomorrow", day],
        ["yesterday", -day],
        ["now again", 0],
      ] as const) {
        const machine = await openBackupStore(place.address, { clock: () => new Date(Date.now() + ahead) });
        versions.push((await machine.backup(libraryOf(id), { name: "clocks" })).version);
        await machine.close();
      }
      expect((await store.list("clocks")).map(({ version }) => version)).toEqual(versions.toReversed());
      const to = join(folder, "clocks.json");
      await store.restore("clocks", { to });
      expect([...loadLibraryFromJson(to).patterns.keys()]).toEqual(["now again"]);
    });

    test.each(["..", "a/b\\c", "Mustér 🦊 \u0001", "%2e", "CON", "x".repeat(200)])("a name may be %j", async (odd) => {
      const made = await store.backup(libraryOf("a"), { name: odd });
      expect(await store.list(odd)).toEqual([expect.objectContaining({ name: odd, version: made.version })]);
      const to = join(folder, `odd-${Math.random()}.json`);
      await store.restore(odd, { to });
      expect([...loadLibraryFromJson(to).patterns.keys()]).toEqual(["a"]);
    });

    // When V8 collects what is not used any more is a matter of luck where other work is going on.
    test("a library of 200 MB goes there and back in 100 MB of memory", { timeout: 240_000, retry: 2 }, async () => {
      const { beside, equal } = await memoryOf(place.address, folder);
      expect(equal).toBe(true);
      expect(beside).toBeLessThan(100);
    });

    test("what is not there is said plainly", async () => {
      const nowhere = await openBackupStore(place.missing, { tries: 2 });
      for (const call of [() => nowhere.list(), () => nowhere.backup(libraryOf("a"), { name: "n" })]) {
        const error = (await call().then(
          () => undefined,
          (thrown: unknown) => thrown,
        )) as Error;
        expect(isPerduraError(error), String(error)).toBe(true);
        expect(error.message).toMatch(/does not exist|no such file or directory/i);
      }
      await nowhere.close();
      expect(await store.list("nobody")).toEqual([]);
      await expect(store.restore("nobody", { to: join(folder, "n.json") })).rejects.toThrow(/there is no backup/);
    });

    test("credentials that are refused are said to be, and shown to nobody", async (context) => {
      const { wrong } = place;
      if (wrong === undefined) return context.skip();
      const right = { ...process.env };
      Object.assign(process.env, wrong.environment);
      try {
        const error = (await listedByStranger(wrong.client ?? place.address).then(
          () => undefined,
          (thrown: unknown) => thrown,
        )) as Error;
        expect(isPerduraError(error, "PERDURA_STORAGE"), String(error)).toBe(true);
        expect(error.message).toMatch(/credential/i);
        expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(wrong.secret);
      } finally {
        process.env = right;
      }
      return undefined;
    });

    test("resets, throttling, cut and changed bodies on the way do no harm", async (context) => {
      const { proxy } = place;
      if (proxy === undefined) return context.skip();
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
        (thrown: unknown) => thrown,
      );
      proxy.faults.clear();
      expect(isPerduraError(error), String(error)).toBe(true);
      expect(readdirSync(folder).filter((file) => file.includes("changed") || file.startsWith("."))).toEqual([]);
      await store.restore("changed", { to });
      return undefined;
    });
  });
}
