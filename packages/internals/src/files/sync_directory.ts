import { closeSync, fsyncSync, openSync } from "node:fs";

/** Makes a rename or a removal in `directory` survive a power cut. Windows cannot open directories and needs no such call. */
export function syncDirectory(directory: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
