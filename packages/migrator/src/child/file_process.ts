import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { FileAnswers, FileReply, FileRequest, Header } from "./requests.ts";

interface Waiting {
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
}

/**
 * Reads, copies and hashes database files in a child process. Closing any descriptor of a database file drops all POSIX
 * locks that this process holds on it, SQLite's own included: another process could then write into the middle of a
 * migration. So no file that may be a database is ever opened here except by SQLite itself.
 */
export class FileProcess {
  #child: ChildProcess | undefined;
  #number = 0;
  readonly #waiting: Map<number, Waiting> = new Map();

  /** The first 100 bytes of each file. */
  headers(paths: string[]): Promise<Header[]> {
    return paths.length === 0 ? Promise.resolve([]) : this.#ask({ work: "headers", paths });
  }

  /** Copies a file to a new name and syncs the copy. */
  copy(from: string, to: string): Promise<null> {
    return this.#ask({ work: "copy", from, to });
  }

  /** Copies files that belong together into a directory; false when they would not hold still. */
  snapshot(paths: string[], directory: string): Promise<boolean> {
    return this.#ask({ work: "snapshot", paths, directory });
  }

  /** SHA-256 in hexadecimal. */
  hash(path: string): Promise<string> {
    return this.#ask({ work: "hash", path });
  }

  /** True when both files hold the same bytes. */
  same(left: string, right: string): Promise<boolean> {
    return this.#ask({ work: "same", left, right });
  }

  /** Makes the content of a file survive a power cut. */
  sync(path: string): Promise<null> {
    return this.#ask({ work: "sync", path });
  }

  /** Ends the child. */
  close(): void {
    if (this.#child?.connected === true) this.#child.disconnect();
    this.#child = undefined;
  }

  #ask<Request extends FileRequest>(request: Request): Promise<FileAnswers[Request["work"]]> {
    const child = (this.#child ??= this.#start());
    const number = (this.#number += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      child.send({ number, request });
    });
  }

  #start(): ChildProcess {
    // From the sources it is a .ts file beside this one, in the published package a .js file.
    const program = new URL(`./file_work${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);
    const child = fork(fileURLToPath(program), [], {
      serialization: "advanced",
      execArgv: [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    child.on("message", (reply: FileReply) => this.#settle(reply));
    child.on("error", (error) => this.#failAll(error));
    child.on("exit", (code, signal) =>
      this.#failAll(new Error(`The file process ended (${signal ?? `exit ${code}`}).`)),
    );
    return child;
  }

  #settle(reply: FileReply): void {
    const waiting = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    if ("failure" in reply)
      waiting?.reject(Object.assign(new Error(reply.failure.message), { code: reply.failure.code }));
    else waiting?.resolve(reply.answer as never);
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#child = undefined;
  }
}
