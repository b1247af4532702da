import { createHash } from "node:crypto";
import { closeSync, constants, copyFileSync, fsyncSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { FileReply, FileRequest, Header } from "./requests.ts";

/** The program of the child process: it answers one request after the other and ends with its parent. */

const BLOCK = 1 << 20;
const HEADER = 100;

function perform(request: FileRequest): unknown {
  switch (request.work) {
    case "headers":
      return request.paths.map(headerOf);
    case "copy":
      return copy(request.from, request.to);
    case "snapshot":
      return snapshot(request.paths, request.directory);
    case "hash":
      return hash(request.path);
    case "same":
      return same(request.left, request.right);
    case "sync":
      return sync(request.path);
  }
}

function headerOf(path: string): Header {
  try {
    const header = Buffer.alloc(HEADER);
    const bytes = header.subarray(
      0,
      withFile(path, (descriptor) => readSync(descriptor, header, 0, HEADER, 0)),
    );
    return { path, bytes, error: null };
  } catch (error) {
    return { path, bytes: null, error: (error as Error).message };
  }
}

/** Shares the blocks where the file system can; never writes over a file. */
function copy(from: string, to: string): null {
  copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  return sync(to);
}

function sync(path: string): null {
  // Windows syncs only what is open for writing; elsewhere the mode of a copy may forbid that.
  withFile(path, (descriptor) => fsyncSync(descriptor), process.platform === "win32" ? "r+" : "r");
  return null;
}

/** Copies files that belong together; again when one of them changed meanwhile. */
function snapshot(paths: string[], directory: string): boolean {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const before = stamps(paths);
    for (const path of paths) copyIfThere(path, join(directory, basename(path)));
    if (stamps(paths) === before) return true;
  }
  return false;
}

/** A log or journal may vanish at any moment; a copy of it that an earlier attempt made must then vanish as well. */
function copyIfThere(from: string, to: string): void {
  rmSync(to, { force: true });
  try {
    copyFileSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

function stamps(paths: string[]): string {
  return paths
    .map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
    .map((found) => `${found?.size} ${found?.mtimeNs}`)
    .join();
}

function hash(path: string): string {
  const digest = createHash("sha256");
  withFile(path, (descriptor) => {
    for (const block of blocks(descriptor)) digest.update(block);
  });
  return digest.digest("hex");
}

function same(left: string, right: string): boolean {
  return withFile(left, (one) =>
    withFile(right, (other) => {
      const others = blocks(other);
      for (const block of blocks(one)) {
        const counterpart = others.next();
        if (counterpart.done === true || !block.equals(counterpart.value)) return false;
      }
      return others.next().done === true;
    }),
  );
}

function* blocks(descriptor: number): Generator<Buffer, void> {
  const block = Buffer.allocUnsafe(BLOCK);
  for (;;) {
    let filled = 0;
    while (filled < BLOCK) {
      const read = readSync(descriptor, block, filled, BLOCK - filled, null);
      if (read === 0) break;
      filled += read;
    }
    if (filled === 0) return;
    yield block.subarray(0, filled);
  }
}

function withFile<Result>(path: string, use: (descriptor: number) => Result, flags = "r"): Result {
  const descriptor = openSync(path, flags);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function reply(number: number, request: FileRequest): FileReply {
  try {
    return { number, answer: perform(request) };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { number, failure: { message, code } };
  }
}

process.on("message", ({ number, request }: { number: number; request: FileRequest }) =>
  process.send?.(reply(number, request)),
);
// Ctrl-C reaches the whole group; the parent decides when this process ends.
process.on("SIGINT", () => undefined);
process.on("disconnect", () => process.exit());
