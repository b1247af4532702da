import { createHash } from "node:crypto";
import { comparePages, sameDatabase } from "../pages/compare_pages.ts";
import { snapshotFiles } from "@perdura/internals/sqlite/snapshot.js";
import { readAt, withFile } from "@perdura/internals/files/guarded_file.js";
import { blocks } from "../pages/blocks.ts";
import { copyFile, syncFile } from "./copy_files.ts";
import type { FileAnswers, FileRequest, Header, OnBytes } from "./requests.ts";

const HEADER = 100;

/** Does the work of a request in this process. */
export function answerFileRequest(request: FileRequest, onBytes: OnBytes): FileAnswers[FileRequest["work"]] {
  switch (request.work) {
    case "headers":
      return request.paths.map(headerOf);
    case "copy":
      copyFile(request.from, request.to, onBytes);
      return null;
    case "snapshot":
      return snapshotFiles(request.path, request.directory, request.timeoutMs);
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
    const { code, message } = error as NodeJS.ErrnoException;
    return { path, bytes: null, error: { code, message } };
  }
}

function hash(path: string): string {
  const digest = createHash("sha256");
  withFile(path, (descriptor) => {
    for (const block of blocks(descriptor)) digest.update(block);
  });
  return digest.digest("hex");
}
