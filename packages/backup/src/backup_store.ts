import { isPerduraError, StorageError, ValidationError } from "@perdura/internals/errors/errors.js";
import { accessOf } from "@perdura/internals/files/common_access.js";
import { assertOptions } from "@perdura/internals/text/options.js";
import type { PatternLibrary } from "@perdura/internals/patterns/library.js";
import { assertChoice, chooseVersion, type VersionChoice } from "./choose_version.ts";
import { encodeName } from "./layout/library_names.ts";
import { timeNow } from "./layout/stamps.ts";
import { type BackupVersion, keyOf, type StoredVersion, versionAt } from "./layout/versions.ts";
import { withHashedFile } from "./local/hashed_file.ts";
import { isNoPath } from "./local/no_path.ts";
import type { RemovedTable } from "./local/sqlite_copy.ts";
import { snapshot } from "./local/snapshot.ts";
import { withFileInTemporaryDirectory } from "./local/temporary_file.ts";
import type { CheckedOptions } from "./options.ts";
import { assertPolicy, KEEPS, type KeepPolicy, keptOf } from "./prune/keep_policy.ts";
import { type LockedVersion, removeVersions } from "./prune/remove_versions.ts";
import { type Space, SpaceCount } from "./prune/space.ts";
import type { ObjectStore } from "./stores/object_store.ts";
import { assertReadable } from "./transfer/download.ts";
import { restoreVersion } from "./transfer/restore.ts";
import { upload } from "./transfer/upload.ts";
import { type Verification, verifyVersion } from "./transfer/verify.ts";

/** Options to abort a call. */
export interface Abortable {
  /** When it is aborted, the call rejects with its reason. */
  signal?: AbortSignal | undefined;
}

/** A new version, or the existing one with the same content. */
export interface Backup extends BackupVersion {
  /** SHA-256 of its bytes in hexadecimal digits. */
  sha256: string;
  /** False if `ifChanged` found that the newest version has this content. */
  stored: boolean;
}

/** Result of `restore`. */
export interface Restored extends BackupVersion {
  /** Tables that the replaced database had and the version does not have. */
  removed_tables: RemovedTable[];
  /** Bytes that an earlier, interrupted restore into the same file had downloaded; 0 if all were downloaded now. */
  continued_bytes: number;
}

/** Result of `prune`. */
export interface Pruned extends Space {
  /** Versions that were kept. */
  kept: BackupVersion[];
  /** Versions that were removed, or with `dryRun` would be. */
  removed: BackupVersion[];
  /** Versions that no rule keeps, but a lock of the store. Only a removal finds locks, so `dryRun` reports none. */
  locked: LockedVersion[];
}

/** Backups of pattern libraries in a bucket, a container or a directory; see `openBackupStore`. */
export class BackupStore {
  readonly #store: ObjectStore;
  readonly #options: CheckedOptions;

  /** @internal Use `openBackupStore`. */
  constructor(store: ObjectStore, options: CheckedOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** The address, without secrets. */
  get place(): string {
    return this.#store.place;
  }

  /**
   * Stores a library as a new version. Existing versions stay.
   *
   * @param source A library, or the path of a JSON document or of an SQLite database with one; other programs may write
   * to it at the same time.
   * @param options `ifChanged` stores a file only if its bytes differ from those of the newest version.
   * A new version is read once: a call that returns has stored what can be restored.
   *
   * @throws ValidationError, FileNotFoundError, JSONDecodeError, CorruptDataError or UnsupportedFormatError for a
   * source that is not a library; StorageError when the store fails. Nothing is stored then, unless `mayBeWritten` is
   * true.
   *
   * @example
   * ```ts
   * const store = await openBackupStore(`file://${process.cwd()}/backups`);
   * const { format, stored } = await store.backup("library.json", { name: "agents" });
   * console.log(format, stored); // json true
   * await store.close();
   * ```
   */
  async backup(
    source: PatternLibrary | string,
    options: { name: string; ifChanged?: boolean | undefined } & Abortable,
  ): Promise<Backup> {
    assertOptions("options", options, ["name", "ifChanged", "signal"]);
    const { name, ifChanged = false, signal } = options;
    encodeName(name);
    assertPathLike("source", source, "Nothing was stored.");
    if (ifChanged && typeof source !== "string")
      throw new ValidationError(
        "requires a path, because a library in memory is saved with the current time and never has the same bytes. Nothing was stored.",
        { argument: "ifChanged" },
      );
    const { temporaryDirectory, busyTimeoutMs, clock, onProgress } = this.#options;
    return withFileInTemporaryDirectory(temporaryDirectory, "perdura-backup", async (path) => {
      const began = timeNow(clock);
      onProgress({ stage: "snapshot", name, done: 0, total: 0 });
      const format = await snapshot(source, path, busyTimeoutMs, signal);
      return withHashedFile(path, async (file) => {
        const { size, sha256 } = file;
        await this.#store.prepare?.();
        const [stored] = await this.#stored(name, signal);
        if (ifChanged && stored?.version.size === size && (await this.#sha256Of(stored, signal)) === sha256)
          return { ...stored.version, sha256, stored: false };
        const sent = (done: number): void => onProgress({ stage: "upload", name, done, total: size });
        const access = typeof source === "string" ? accessOf([source]) : undefined;
        const newest = stored?.version;
        const version = await upload(this.#store, name, format, file, { newest, began, access, signal, sent });
        await this.#readBack(version, signal);
        return { ...version, sha256, stored: true };
      });
    });
  }

  /**
   * Lists the versions of one library or of all: libraries in the order of their names, the newest version of each
   * first.
   *
   * @example
   * ```ts
   * const store = await openBackupStore(`file://${process.cwd()}/backups`);
   * await store.backup("library.json", { name: "agents" });
   * for (const { name, format, size } of await store.list()) console.log(name, format, size); // agents json 49
   * await store.close();
   * ```
   */
  async list(name?: string, { signal }: Abortable = {}): Promise<BackupVersion[]> {
    return (await this.#stored(name, signal)).map(({ version }) => version);
  }

  /**
   * Restores a version into a file, by default the newest. An existing file is replaced atomically. A file that was
   * changed after the version was made is kept, and so is a database with tables that the version does not have, unless
   * `overwrite` is set. This compares the file's modification time, whose clock may be ten milliseconds late, so a
   * change within this time is not noticed. If the download is interrupted, the bytes that arrived stay next to the
   * file, and the next restore of the same version into it downloads the others only.
   *
   * @returns The version that was restored, and the tables that the replaced database had in addition.
   * @throws FileNotFoundError when the version does not exist; ValidationError when the file is kept, with
   * `removedTables`, the tables that `overwrite` would remove; CorruptDataError
   * when the bytes differ from those that were stored. The file is unchanged then.
   *
   * @example
   * ```ts
   * const store = await openBackupStore(`file://${process.cwd()}/backups`);
   * await store.backup("library.json", { name: "agents" });
   * const { format } = await store.restore("agents", { to: "restored.json" });
   * console.log(format); // json
   * await store.close();
   * ```
   */
  async restore(
    name: string,
    options: VersionChoice & { to: string; overwrite?: boolean | undefined } & Abortable,
  ): Promise<Restored> {
    assertOptions("options", options, ["version", "at", "to", "overwrite", "signal"]);
    assertChoice(options);
    assertPathLike("to", options.to, "Nothing was changed.");
    const stored = chooseVersion(await this.#stored(name, options.signal), name, options, this.place);
    const { removed, continued } = await restoreVersion(this.#store, stored, options, this.#options);
    return { ...stored.version, removed_tables: removed, continued_bytes: continued };
  }

  /**
   * Reads every version of one library or of all and checks that it is intact. Changes nothing. A version that another
   * program removes at the same time is left out.
   *
   * @example
   * ```ts
   * const store = await openBackupStore(`file://${process.cwd()}/backups`);
   * await store.backup("library.json", { name: "agents" });
   * console.log((await store.verify()).every(({ ok }) => ok)); // true
   * await store.close();
   * ```
   */
  async verify(name?: string, { signal }: Abortable = {}): Promise<Verification[]> {
    const results: Verification[] = [];
    for (const stored of await this.#stored(name, signal)) {
      try {
        const result = await verifyVersion(this.#store, stored, this.#options, signal);
        // Another program may have removed it since it was listed or while it was read, which is not damage.
        if (result.ok || (await this.#isThere(stored, signal))) results.push(result);
      } catch (error) {
        signal?.throwIfAborted();
        if (await this.#isThere(stored, signal)) throw error;
      }
    }
    return results;
  }

  /**
   * Removes versions that the policy does not keep, of one library or of all. The newest of each is always kept. A
   * store with versioning or soft delete retains removed versions: the result reports the number of freed bytes, and
   * how to free the others. A locked version is kept, and the others are removed nevertheless.
   *
   * @throws ValidationError for a policy that keeps nothing.
   * @throws StorageError when a version cannot be removed; its message has the number of versions that were already
   * removed.
   *
   * @example
   * ```ts
   * const store = await openBackupStore(`file://${process.cwd()}/backups`);
   * for (let day = 0; day < 3; day += 1) await store.backup("library.json", { name: "agents" });
   * const { kept, removed, freed_bytes } = await store.prune({ keepLast: 1, keepDaily: 7 });
   * console.log(kept.length, removed.length, freed_bytes); // 1 2 98
   * await store.close();
   * ```
   */
  async prune(
    options: KeepPolicy & { name?: string | undefined; dryRun?: boolean | undefined } & Abortable,
  ): Promise<Pruned> {
    assertOptions("options", options, [...KEEPS, "name", "dryRun", "signal"]);
    assertPolicy(options);
    const { name, dryRun = false, signal } = options;
    const kept: BackupVersion[] = [];
    const surplus: StoredVersion[] = [];
    for (const library of Map.groupBy(await this.#stored(name, signal), ({ version }) => version.name).values()) {
      const versions = library.map(({ version }) => version);
      const chosen = keptOf(versions, options);
      kept.push(...versions.filter((version) => chosen.has(version)));
      surplus.push(...library.filter(({ version }) => !chosen.has(version)));
    }
    const keeping = surplus.length === 0 ? undefined : await this.#store.retention?.(signal);
    const space = new SpaceCount(keeping ?? { retains: false });
    if (!dryRun) {
      const done = await removeVersions(this.#store, surplus, space, signal);
      return { kept, ...done, ...space.space };
    }
    for (const { version } of surplus) space.add(version, "unknown");
    return { kept, removed: surplus.map(({ version }) => version), locked: [], ...space.space };
  }

  /** Closes its own connections; a client that the caller passed stays open. */
  async close(): Promise<void> {
    await this.#store.close();
  }

  /** Calls {@link close} at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Reads a new version once. */
  async #readBack(version: BackupVersion, signal: AbortSignal | undefined): Promise<void> {
    try {
      await assertReadable(this.#store, { key: keyOf(version.name, version.version), version }, this.#options, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPerduraError(error)) throw error;
      throw new StorageError(
        `the version ${version.version} of ${encodeName(version.name)} was sent, but it cannot be read back: ${error.reason} Do not rely on it; verify it when the store can be read.`,
        { path: this.place, cause: error, mayBeWritten: true },
      );
    }
  }

  /** Libraries in the order of their keys, the newest version of each first. */
  async #stored(name: string | undefined, signal: AbortSignal | undefined): Promise<StoredVersion[]> {
    const prefix = name === undefined ? "" : `${encodeName(name)}/`;
    const libraries = new Map<string, StoredVersion[]>();
    for await (const { key, size } of this.#store.list(prefix, signal)) {
      const version = versionAt(key, size);
      if (version === undefined) continue;
      const versions = libraries.get(version.name) ?? [];
      libraries.set(version.name, versions);
      versions.unshift({ key, version });
    }
    return [...libraries.values()].flat();
  }

  async #isThere({ key }: StoredVersion, signal: AbortSignal | undefined): Promise<boolean> {
    return (await this.#store.find(key, signal)) !== undefined;
  }

  async #sha256Of({ key }: StoredVersion, signal: AbortSignal | undefined): Promise<string | undefined> {
    return (await this.#store.find(key, signal))?.metadata["sha256"];
  }
}

/** @throws ValidationError for an address, which is not shown because it may contain a secret. */
function assertPathLike(argument: string, path: unknown, fate: string): void {
  if (typeof path === "string" && isNoPath(path))
    throw new ValidationError(
      `expected the path of a file, got text that looks like an address; it is not shown, because it may contain a secret. ${fate} If it is a path, write ./ before it.`,
      { argument },
    );
}
