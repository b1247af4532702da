import { fstatSync, statSync } from "node:fs";
import { StorageError } from "@perdura/internals/errors/errors.js";
import { fileVersion, type FileVersion } from "@perdura/internals/files/file_version.js";
import { readAt, withFile } from "@perdura/internals/files/guarded_file.js";
import { irregularKind } from "@perdura/internals/files/irregular_kind.js";
import type { Edits, Range } from "../core/splice.ts";
import { Stop } from "../core/stop.ts";

/** Bytes that are in memory at a time. */
const WINDOW = 1 << 16;

const EMPTY = Buffer.alloc(0);

/** The bytes of a document of any size, of which a piece is in memory at a time. */
export abstract class DocumentBytes {
  abstract readonly length: number;
  #window: Buffer | undefined;
  #origin = 0;
  #filled = 0;

  /** Reads bytes from `position` on into `place`. Returns their number, which is smaller only at the end. */
  abstract read(place: Uint8Array, position: number): number;

  /** The text of a range. With `latin1`, each character is one byte. */
  text({ start, end }: Range, encoding: "utf8" | "latin1" = "utf8"): string {
    const bytes = end - start > WINDOW ? this.piece({ start, end }) : this.#near(start, end);
    return bytes.toString(encoding);
  }

  /** A copy of a range. */
  piece({ start, end }: Range): Buffer {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(end, this.length) - start));
    return bytes.subarray(0, this.copy(bytes, start));
  }

  /** Works like {@link read}, for short pieces that are near each other. */
  copy(place: Uint8Array, start: number): number {
    if (place.length > WINDOW) return this.read(place, start);
    return this.#near(start, start + place.length).copy(place);
  }

  /** All bytes, in pieces. A piece is valid until the next one is asked for. */
  *pieces(): Generator<Buffer> {
    const place = Buffer.allocUnsafe(WINDOW);
    for (let at = 0; at < this.length;) {
      const count = this.read(place, at);
      if (count === 0) return;
      yield place.subarray(0, count);
      at += count;
    }
  }

  equals(other: DocumentBytes): boolean {
    if (this.length !== other.length) return false;
    const place = Buffer.allocUnsafe(WINDOW);
    let at = 0;
    for (const piece of this.pieces()) {
      if (!piece.equals(place.subarray(0, other.read(place.subarray(0, piece.length), at)))) return false;
      at += piece.length;
    }
    return true;
  }

  /** A range of at most the size of the window, until the next one is asked for. */
  #near(start: number, end: number): Buffer {
    const last = Math.min(end, this.length);
    if (start < this.#origin || last > this.#origin + this.#filled) {
      this.#window ??= Buffer.allocUnsafe(WINDOW);
      this.#filled = this.read(this.#window, start);
      this.#origin = start;
    }
    return (this.#window ?? EMPTY).subarray(start - this.#origin, Math.min(last - this.#origin, this.#filled));
  }
}

/** A file is opened for each piece, and must stay the same meanwhile. */
class FileBytes extends DocumentBytes {
  readonly length: number;
  readonly #path: string;
  readonly #version: FileVersion;
  #head: Buffer | undefined;

  constructor(path: string) {
    super();
    const found = statSync(path, { bigint: true });
    const kind = irregularKind(found);
    if (kind !== undefined) throw new StorageError(`expected a file, found ${kind}.`, { path });
    this.#path = path;
    this.length = Number(found.size);
    this.#version = fileVersion(found);
  }

  read(place: Uint8Array, position: number): number {
    return withFile(
      this.#path,
      (descriptor) => {
        if (fileVersion(fstatSync(descriptor, { bigint: true })) !== this.#version)
          throw new Stop(
            "in_use",
            `Another program has saved ${this.#path} meanwhile. Stop it, then run this command again.`,
          );
        const count = readAt(descriptor, place, position);
        if (position === 0) this.#head = Buffer.from(place.subarray(0, Math.min(count, 16)));
        return count;
      },
      "r",
      this.#head === undefined ? undefined : () => this.#head as Buffer,
    );
  }
}

/**
 * The bytes of a regular file.
 *
 * @throws StorageError for a pipe, a device or a directory.
 */
export const bytesOfFile = (path: string): DocumentBytes => new FileBytes(path);

/** Bytes with all edits; all other bytes are unchanged. */
class SplicedBytes extends DocumentBytes {
  readonly length: number;
  readonly #source: DocumentBytes;
  readonly #edits: Edits;
  /** Offset of the text of each edit in these bytes. */
  readonly #starts: Float64Array;

  constructor(source: DocumentBytes, edits: Edits) {
    super();
    this.#source = source;
    this.#edits = edits.inOrder();
    this.#starts = new Float64Array(this.#edits.length);
    let [index, shift] = [0, 0];
    for (const { start, end, text } of this.#edits) {
      this.#starts[index] = start + shift;
      shift += Buffer.byteLength(text) - (end - start);
      index += 1;
    }
    this.length = source.length + shift;
  }

  read(place: Uint8Array, position: number): number {
    let filled = 0;
    let index = this.#editBefore(position);
    while (filled < place.length) {
      const at = position + filled;
      const until = this.#starts[index + 1] ?? this.length;
      const count = this.#readPart(index, place.subarray(filled, filled + Math.max(0, until - at)), at);
      filled += count;
      if (position + filled >= until) {
        if (index + 1 >= this.#edits.length) break;
        index += 1;
      } else if (count === 0) break;
    }
    return filled;
  }

  /** Reads from the text of an edit (-1: before all edits) and from the bytes of the source after it. */
  #readPart(index: number, place: Uint8Array, at: number): number {
    const edit = this.#edits.at(index);
    if (edit === undefined) return this.#source.copy(place, at);
    const text = Buffer.from(edit.text);
    const inside = at - (this.#starts[index] as number);
    const count = inside < text.length ? text.copy(place, 0, inside) : 0;
    const rest = place.subarray(count);
    return count + (rest.length === 0 ? 0 : this.#source.copy(rest, edit.end + inside + count - text.length));
  }

  /** Index of the last edit that begins at a position or before it; -1 without one. */
  #editBefore(position: number): number {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] as number) <= position) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** The bytes with all edits, which must not overlap. */
export const splicedBytes = (source: DocumentBytes, edits: Edits): DocumentBytes =>
  edits.length === 0 ? source : new SplicedBytes(source, edits);
