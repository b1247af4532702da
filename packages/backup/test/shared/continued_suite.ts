import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { FaultyProxy } from "@perdura/test-servers/faulty_proxy/faulty_proxy.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { saveLibraryToJson } from "@perdura/internals/patterns/json_save.js";
import { expect, test } from "vitest";
import { type BackupStore, openBackupStore } from "../../src/index.ts";
import type { BackupStoreOptions } from "../../src/options.ts";
import { endOfStopped } from "../cli/program.ts";
import { freshFolder, libraryOf } from "../elements.ts";
import type { Place } from "./place.ts";

/** Bytes that a restore requests at a time. */
const PIECE = 4 << 20;
const PIECES = 5;

/** Returns the store of the `describe` that the tests are in, and its place. */
type Given = () => { place: Place; store: BackupStore };

/** Writes a library that takes five pieces. */
function writeLarge(folder: string, mark: string): string {
  const library = libraryOf("large");
  for (const pattern of library.patterns.values()) pattern.description = mark.repeat((PIECES - 1) * PIECE + 1000);
  const path = join(folder, `${mark}.json`);
  saveLibraryToJson(library, path);
  return path;
}

/** Names of the parts in a folder. */
export const partsIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.endsWith(".perdura-part"));

function sizeOfPart(folder: string): number {
  const parts = partsIn(folder);
  expect(parts).toHaveLength(1);
  return statSync(join(folder, parts[0] as string)).size;
}

/** Tests of restores that are interrupted. */
export function describeContinued(given: Given): void {
  test("continues a restore that was killed, from each of its pieces", async () => {
    const { place, store } = given();
    const folder = freshFolder();
    const file = writeLarge(folder, "k");
    const to = join(folder, "there.json");
    await store.backup(file, { name: "killed" });
    for (const pieces of [1, 3]) {
      const pull = ["pull", place.address, "killed", "--to", to, "--overwrite", "--json"];
      expect(await endOfStopped("stop_at_progress", `${pieces} SIGKILL`, pull, folder)).toBe("SIGKILL");
      expect(sizeOfPart(folder)).toBe(pieces * PIECE);
      const { continued_bytes: continued } = await store.restore("killed", { to, overwrite: true });
      expect(continued).toBe(pieces * PIECE);
      expect(readFileSync(to).equals(readFileSync(file))).toBe(true);
      expect(partsIn(folder)).toEqual([]);
    }
  });

  test("removes the part of another version", async () => {
    const { place, store } = given();
    const folder = freshFolder();
    const to = join(folder, "there.json");
    await store.backup(writeLarge(folder, "f"), { name: "replaced" });
    const reason = new Error("enough");
    const stopped = await openBackupStore(place.address, {
      onProgress: () => {
        throw reason;
      },
    });
    await expect(stopped.restore("replaced", { to })).rejects.toBe(reason);
    await stopped.close();
    expect(sizeOfPart(folder)).toBe(PIECE);
    const second = writeLarge(folder, "s");
    await store.backup(second, { name: "replaced" });
    expect(await store.restore("replaced", { to })).toMatchObject({ continued_bytes: 0 });
    expect(readFileSync(to).equals(readFileSync(second))).toBe(true);
    expect(partsIn(folder)).toEqual([]);
  });
}

/** Tests of restores whose connections break, for a place with a proxy. */
export function describeBrokenDownloads(given: Given): void {
  /** Restores with faults from the second piece on; returns the number of requests as well. */
  async function restoreWith(options: BackupStoreOptions, to: string, happens: (proxy: FaultyProxy) => void) {
    const { place } = given();
    const proxy = place.proxy as FaultyProxy;
    const faulty = await openBackupStore(place.address, {
      ...options,
      onProgress: ({ stage, done }) => stage === "download" && done === 2 * PIECE && happens(proxy),
    });
    const before = proxy.requests.length;
    try {
      const restored = await faulty.restore("broken", { to, overwrite: true });
      return { restored, requests: proxy.requests.length - before };
    } finally {
      proxy.faults.clear();
      await faulty.close();
    }
  }

  test("continues a restore whose connections broke, in the same run and in the next one", async () => {
    const { store } = given();
    const folder = freshFolder();
    const file = writeLarge(folder, "b");
    const to = join(folder, "there.json");
    await store.backup(file, { name: "broken" });
    const whole = await restoreWith({}, to, () => undefined);
    for (const fault of [{ truncate: 1000 }, { reset: "before" }, { reset: "after" }] as const) {
      const retried = await restoreWith({}, to, ({ faults }) => faults.when({ method: "GET" }, fault));
      expect(retried).toEqual({ restored: whole.restored, requests: whole.requests + 1 });
      const error: unknown = await restoreWith({ tries: 1 }, to, ({ faults }) =>
        faults.when({ method: "GET" }, fault, 100),
      ).catch((reason: unknown) => reason);
      expect(isPerduraError(error, "PERDURA_STORAGE"), String(error)).toBe(true);
      const size = sizeOfPart(folder);
      expect(error).toMatchObject({
        path: store.place,
        message: expect.stringContaining(`${size} of ${statSync(file).size} bytes arrived and were kept`),
      });
      const next = await restoreWith({}, to, () => undefined);
      expect(next).toEqual({
        restored: { ...whole.restored, continued_bytes: size },
        requests: whole.requests - size / PIECE,
      });
      expect(readFileSync(to).equals(readFileSync(file))).toBe(true);
      expect(partsIn(folder)).toEqual([]);
    }
  });
}
