import { constants, fstatSync, readlinkSync, readSync } from "node:fs";
import { withFile } from "@perdura/internals/files/guarded_file.js";
import { Stop } from "../../core/stop.ts";
import { pathBelow, shownName } from "./entry_name.ts";
import type { Entry } from "./walk_tree.ts";

const NOTHING = Buffer.alloc(0);

/** Number of bytes in which the guard recognises a database. */
const HEAD_BYTES = 16;

/** Size of the shared buffer; most state files are smaller. */
const BLOCK = 1 << 16;

/** A link or pipe that has replaced a file since is neither followed nor waited for. Windows has neither flag. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads files one after the other, most of them into the same buffer. */
export class FileReader {
  readonly #block = Buffer.allocUnsafeSlow(BLOCK);
  /** First bytes of the file that was read last. */
  #head = NOTHING;

  /**
   * Content of an entry: the bytes of a file, the target of a link, null for a directory. Valid until the next call.
   *
   * @throws Stop if it was removed or has grown since it was listed.
   */
  content(root: string, { name, kind, size }: Pick<Entry, "name" | "kind" | "size">): Buffer | null {
    if (kind === "directory") return null;
    const path = pathBelow(root, name);
    try {
      return kind === "link" ? readlinkSync(path, { encoding: "buffer" }) : this.#read(path, size);
    } catch (error) {
      if (!isGone(error)) throw error;
      throw new Stop(
        "in_use",
        `${shownName(name)} changed while it was read. Stop the program that writes to the same directory, then run this command again.`,
        error,
      );
    }
  }

  #read(path: string | Buffer, size: number): Buffer {
    const into = size < BLOCK ? this.#block : Buffer.allocUnsafeSlow(size + 1);
    const length = this.#withFile(path, (descriptor) => {
      const filled = fill(descriptor, into, size);
      this.#head = into.subarray(0, filled);
      return filled;
    });
    if (length > size && into !== this.#block) throw Object.assign(new Error("the file grew"), { code: "EGREW" });
    return into.subarray(0, length);
  }

  /** True if a file exists and has exactly these bytes, of any number. */
  holds(path: string | Buffer, bytes: Buffer): boolean {
    try {
      return this.#holds(path, bytes);
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }

  /**
   * True if a file has this content, mode, owner and time: all of it read through one descriptor, which needs one call
   * less than a check by name. Also false on systems that cannot refuse to follow a link.
   */
  isStill(path: string | Buffer, { mode, uid, gid, mtimeNs, size }: Entry, bytes: Buffer): boolean {
    if (constants.O_NOFOLLOW === undefined) return false;
    try {
      return this.#holds(path, bytes, (descriptor) => {
        const found = fstatSync(descriptor, { bigint: true });
        return (
          found.mtimeNs === mtimeNs &&
          Number(found.size) === size &&
          Number(found.mode) === mode &&
          Number(found.uid) === uid &&
          Number(found.gid) === gid
        );
      });
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }

  #holds(path: string | Buffer, bytes: Buffer, isLike: (descriptor: number) => boolean = () => true): boolean {
    return this.#withFile(path, (descriptor) => isLike(descriptor) && this.#hasBytes(descriptor, bytes));
  }

  #withFile<Result>(path: string | Buffer, use: (descriptor: number) => Result): Result {
    this.#head = NOTHING;
    return withFile(path, use, READ, () => this.#head);
  }

  #hasBytes(descriptor: number, bytes: Buffer): boolean {
    for (let at = 0; ;) {
      const length = readSync(descriptor, this.#block, 0, BLOCK, at);
      if (length === 0) return at === bytes.length;
      // Copied, because the next piece of a long file takes the place of this one.
      if (at === 0) this.#head = Buffer.from(this.#block.subarray(0, Math.min(length, HEAD_BYTES)));
      if (at + length > bytes.length || bytes.compare(this.#block, 0, length, at, at + length) !== 0) return false;
      at += length;
      // A short read marks the end of a small file; growth would show in its size and time.
      if (length < BLOCK && at === bytes.length) return true;
    }
  }
}

/** Codes that mean that a file was removed or is now a link, a pipe or a directory. */
const GONE = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EMLINK", "ENXIO", "EISDIR", "EINVAL", "EGREW"]);

function isGone(error: unknown): boolean {
  return GONE.has((error as NodeJS.ErrnoException).code ?? "");
}

/** Reads until the file or the buffer ends; a file of exactly the expected size needs no further call. */
function fill(descriptor: number, into: Buffer, size: number): number {
  let filled = 0;
  while (filled < into.length) {
    const length = readSync(descriptor, into, filled, into.length - filled, filled);
    filled += length;
    if (length === 0 || (filled === size && into.length === BLOCK)) break;
  }
  return filled;
}
