import { closeSync, openSync } from "node:fs";
import { expect, test } from "vitest";
import { setMode } from "../../src/files/access.ts";
import { ON_LINUX } from "../../../../test/needs.ts";

/** A file with the mode 644 on a file system that refuses every change of a mode. */
const FIXED = "/proc/self/comm";

test("a refused mode is accepted unless further users can read the file", ON_LINUX, () => {
  const descriptor = openSync(FIXED, "r");
  try {
    for (const file of [FIXED, descriptor]) {
      for (const mode of [0o644, 0o664, 0o755, 0o444]) setMode(file, mode);
      for (const mode of [0o600, 0o640, 0o604])
        expect(() => setMode(file, mode)).toThrow(new RegExp(`EPERM.*the mode 644 instead of ${mode.toString(8)}`));
      setMode(file, 0o600, 0o644);
    }
  } finally {
    closeSync(descriptor);
  }
});
