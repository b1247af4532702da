import { spawnSync } from "node:child_process";
import { mkdirSync, rmdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { command, hasProgram } from "./commands.ts";
import { temporaryFolder } from "../../../../test/temporary_folder.ts";

/** Kinds of file systems. `tmpfs` is in memory, the others are in an image file. */
export type DiskKind = "tmpfs" | "ext4" | "xfs";

/** Properties of a file system. */
export interface DiskWishes {
  kind: DiskKind;
  megabytes: number;
  /** Maximum number of files and directories; the default of its kind if absent. */
  inodes?: number;
}

/** Number of attempts to unmount a file system that a process still uses, and milliseconds between them. */
const [ATTEMPTS, PAUSE] = [40, 50];

/** ext4 without automatic syncs, so that a missing sync shows, and without blocks reserved for root. */
const EXT4 = { make: ["-q", "-F", "-m", "0", "-b", "4096"], mount: "loop,noauto_da_alloc" };

/** A small file system of its own. Its mount point identifies its process: see {@link removeDeadDisks}. */
export class Disk {
  readonly directory: string;
  readonly #image: string;
  readonly #kind: DiskKind;
  readonly #options: string;
  #mounted = false;
  static #count = 0;

  /**
   * Creates and mounts it.
   *
   * @param place A directory on a file system with enough space.
   */
  constructor(place: string, { kind, megabytes, inodes }: DiskWishes) {
    Disk.#count += 1;
    this.directory = join(place, `disk-${process.pid}-${Disk.#count}`);
    this.#image = `${this.directory}.image`;
    this.#kind = kind;
    this.#options =
      kind === "tmpfs" ? `size=${megabytes}m${inodes === undefined ? "" : `,nr_inodes=${inodes}`}` : "loop";
    mkdirSync(this.directory);
    if (kind !== "tmpfs") {
      writeFileSync(this.#image, "");
      truncateSync(this.#image, megabytes * 1024 * 1024);
      const limited = inodes === undefined ? [] : ["-N", String(inodes)];
      if (kind === "ext4") command("mkfs.ext4", ...EXT4.make, ...limited, this.#image);
      else command("mkfs.xfs", "-q", "-f", this.#image);
    }
    this.mount();
  }

  mount(): void {
    const options = this.#kind === "ext4" ? EXT4.mount : this.#options;
    command("mount", "-t", this.#kind, "-o", options, this.#kind === "tmpfs" ? "perdura" : this.#image, this.directory);
    this.#mounted = true;
  }

  /** Unmounts it; waits for processes that are just ending. */
  async unmount(): Promise<void> {
    for (let attempt = 1; this.#mounted; attempt += 1) {
      if (spawnSync("umount", [this.directory]).status === 0) this.#mounted = false;
      else if (attempt === ATTEMPTS) command("umount", this.directory);
      else await after(PAUSE);
    }
  }

  /** Removes it, even if processes still use it. */
  async remove(): Promise<void> {
    try {
      await this.unmount();
    } finally {
      if (this.#mounted) command("umount", "--lazy", this.directory);
      rmdirSync(this.directory);
      rmSync(this.#image, { force: true });
    }
  }
}

const missing = new Map<DiskKind, string | undefined>();

/** Reason why this machine cannot mount a file system of a kind; undefined if it can. */
export function missingFor(kind: DiskKind): string | undefined {
  if (!missing.has(kind)) missing.set(kind, tryToMount(kind));
  return missing.get(kind);
}

function tryToMount(kind: DiskKind): string | undefined {
  if (process.platform !== "linux") return "It needs Linux.";
  if (process.getuid?.() !== 0) return "It needs permission to mount a file system (root).";
  if (kind !== "tmpfs" && !hasProgram(`mkfs.${kind}`, "-V")) return `It needs mkfs.${kind}.`;
  const place = temporaryFolder(tmpdir(), "perdura-soak-disk-");
  const disk = join(place, `disk-${process.pid}-0`);
  try {
    mkdirSync(disk);
    if (kind === "tmpfs") command("mount", "-t", "tmpfs", "-o", "size=1m", "perdura", disk);
    else mountEmpty(kind, disk);
    command("umount", disk);
    return undefined;
  } catch (error) {
    return `It needs permission to mount a file system: ${(error as Error).message}`;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Mounts an empty file system of the minimum size of its kind. */
function mountEmpty(kind: "ext4" | "xfs", disk: string): void {
  writeFileSync(`${disk}.image`, "");
  truncateSync(`${disk}.image`, (kind === "xfs" ? 320 : 8) * 1024 * 1024);
  command(`mkfs.${kind}`, "-q", `${disk}.image`);
  command("mount", "-t", kind, "-o", "loop", `${disk}.image`, disk);
}
