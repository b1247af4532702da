import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { loadLibraryFromJson } from "@perdura/internals/patterns/json_load.js";
import { loadLibraryFromSqlite } from "@perdura/internals/patterns/sqlite_load.js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { type BackupStore, openBackupStore } from "../../src/index.ts";
import { libraryOf } from "../elements.ts";
import { memoryOf } from "./memory_of.ts";
import type { Place } from "./place.ts";
import { describeBrokenDownloads, describeContinued } from "./continued_suite.ts";
import { describeCredentials, describeFaultyNetwork, describeMissing } from "./failure_suite.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const LIBRARIES = readdirSync(fixture("libraries")).filter((name) => /(?<!\.expected)\.json$|\.db$/.test(name));

/**
 * Describes the behaviour of backups in any store.
 *
 * @param has True for the parts of a place that `open` provides.
 */
export function backupSuite(name: string, has: { wrong: boolean; proxy: boolean }, open: () => Promise<Place>): void {
  describe(`backups in ${name}`, () => {
    const folder = freshFolder();
    let place: Place;
    let store: BackupStore;
    beforeAll(async () => {
      place = await open();
      for (const variable of Object.entries(place.environment)) vi.stubEnv(...variable);
      store = await openBackupStore(place.address);
    });
    afterAll(async () => {
      await store.close();
      vi.unstubAllEnvs();
      await place.stop();
    });

    test.each(LIBRARIES)("restores the fixture %s unchanged", async (file) => {
      const path = fixture("libraries", file);
      const to = join(folder, file);
      const { format } = await store.backup(path, { name: `fixtures/${file}` });
      await store.restore(`fixtures/${file}`, { to });
      if (format === "json") expect(readFileSync(to).equals(readFileSync(path))).toBe(true);
      const load = format === "json" ? loadLibraryFromJson : loadLibraryFromSqlite;
      expect(load(to)).toEqual(load(path));
    });

    test("keeps all of twenty concurrent backups of one name", async () => {
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

    test("loses and hides no version when a machine has a wrong clock", async () => {
      const day = 86_400_000;
      const versions: string[] = [];
      for (const [id, ahead] of [
        ["now", 0],
        ["tomorrow", day],
        ["yesterday", -day],
        ["latest", 0],
      ] as const) {
        const machine = await openBackupStore(place.address, { clock: () => new Date(Date.now() + ahead) });
        versions.push((await machine.backup(libraryOf(id), { name: "clocks" })).version);
        await machine.close();
      }
      expect((await store.list("clocks")).map(({ version }) => version)).toEqual(versions.toReversed());
      const to = join(folder, "clocks.json");
      await store.restore("clocks", { to });
      expect([...loadLibraryFromJson(to).patterns.keys()]).toEqual(["latest"]);
    });

    test.each(["..", "a/b\\c", "Mustér 🦊 \u0001", "%2e", "CON", "x".repeat(200)])(
      "accepts the name %j",
      async (unusual) => {
        const made = await store.backup(libraryOf("a"), { name: unusual });
        expect(await store.list(unusual)).toEqual([expect.objectContaining({ name: unusual, version: made.version })]);
        const to = join(folder, `unusual-${Math.random()}.json`);
        await store.restore(unusual, { to });
        expect([...loadLibraryFromJson(to).patterns.keys()]).toEqual(["a"]);
      },
    );

    test("needs no more memory for a larger library", async () => {
      const [small, large] = [16, 64] as const;
      const { peaks, equal } = await memoryOf(place.address, folder, [small, large]);
      expect(equal).toBe(true);
      const [first = NaN, second = NaN] = peaks;
      // If the whole library were in memory, the full difference would show in addition to uncollected garbage, which
      // accounts for up to two thirds of it.
      expect(second - first).toBeLessThan(((large - small) * 5) / 6);
    });

    test("rejects with the reason of an aborted signal and leaves nothing but a part", async () => {
      const reason = new Error("enough");
      let controller = new AbortController();
      const givenUp = await openBackupStore(place.address, {
        onProgress: ({ stage, done }) => {
          if (done > 0 && (stage === "upload" || stage === "download")) controller.abort(reason);
        },
      });
      const library = libraryOf("large");
      for (const pattern of library.patterns.values()) pattern.description = "x".repeat(9 << 20);
      const { signal } = controller;
      await expect(givenUp.backup(library, { name: "given up", signal })).rejects.toBe(reason);
      expect(await store.list("given up")).toEqual([]);
      await store.backup(library, { name: "given up" });
      controller = new AbortController();
      const to = join(folder, "given-up.json");
      await expect(givenUp.restore("given up", { to, signal: controller.signal })).rejects.toBe(reason);
      await givenUp.close();
      const [part = "", ...others] = readdirSync(folder).filter(
        (file) => file.includes("given-up") || file.startsWith("."),
      );
      expect([part.endsWith(".perdura-part"), others]).toEqual([true, []]);
      expect((await store.restore("given up", { to })).continued_bytes).toBeGreaterThan(0);
      expect(readdirSync(folder).filter((file) => file.startsWith("."))).toEqual([]);
    });

    test.each(["snapshot", "upload", "download"] as const)(
      "passes on an error that onProgress throws at the %s, and leaves nothing incomplete",
      async (stage) => {
        // Like an error of a connection: a store that took it for its own would retry.
        const own = Object.assign(new Error("a connection of the caller's"), { code: "ECONNRESET", syscall: "read" });
        let reports = 0;
        const failing = await openBackupStore(place.address, {
          onProgress: (progress) => {
            if (progress.stage !== stage) return;
            reports += 1;
            throw own;
          },
        });
        const library = `callers ${stage}`;
        const to = join(folder, "callers.json");
        if (stage === "download") {
          await store.backup(libraryOf("p"), { name: library });
          await expect(failing.restore(library, { to })).rejects.toBe(own);
          expect(readdirSync(folder).filter((file) => file.includes("callers") || file.startsWith("."))).toEqual([]);
        } else {
          await expect(failing.backup(libraryOf("p"), { name: library })).rejects.toBe(own);
          // A store that has received the last byte has the version.
          expect((await store.verify(library)).filter(({ ok }) => !ok)).toEqual([]);
          if (stage === "snapshot") expect(await store.list(library)).toEqual([]);
        }
        expect(reports).toBe(1);
        await failing.close();
      },
    );

    const given = () => ({ place, store, folder });
    describeMissing(given);
    describeContinued(given);
    if (has.wrong) describeCredentials(given);
    if (has.proxy) describeFaultyNetwork(given);
    if (has.proxy) describeBrokenDownloads(given);
  });
}
