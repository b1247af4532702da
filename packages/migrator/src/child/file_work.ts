import { createHash } from "node:crypto";
import { copyFileSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { blocks, readAt, withFile } from "./blocks.ts";
import { comparePages } from "./compare_pages.ts";
import { copyFile, syncFile } from "./copy_file.ts";
import { answerRequests, type OnBytes } from "./answer_requests.ts";
import type { FileRequest, Header } from "./requests.ts";
import { sameDatabase } from "./same_database.ts";

/** The program of the child process: it answers one request after the other and ends with its parent. */

const HEADER = 100;

function perform(request: FileRequest, onBytes: OnBytes): unknown {
  switch (request.work) {
    case "headers":
      return request.paths.map(headerOf);
    case "copy":
      copyFile(request.from, request.to, onBytes);
      return null;
    case "snapshot":
      return snapshot(request.paths, request.directory);
    case "hash":
      return hash(request.path);
    case "same":
      return sameDatabase(request.left, request.right);
    case "pages":
      return comparePages(request);
    case "sync":
      syncFile(request.path);
      return null;
  }
}

function headerOf(path: string): Header {
  try {
    const header = Buffer.alloc(HEADER);
    const bytes = header.subarray(
      0,
      withFile(path, (descriptor) => readAt(descriptor, header, 0)),
    );
    return { path, bytes, error: null };
  } catch (error) {
    return { path, bytes: null, error: (error as Error).message };
  }
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

answerRequests(perform);
