import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Copies a file atomically and durably, so that it survives a power cut: the careful way, file by file. */
export function copyDurably(from: string, directory: string, name: string): void {
  const temporary = join(directory, `.${name}.tmp`);
  const bytes = readFileSync(from);
  const descriptor = openSync(temporary, "wx");
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(temporary, join(directory, name));
  const parent = openSync(directory, "r");
  fsyncSync(parent);
  closeSync(parent);
}
