import { readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { directoryStore, libraryOf } from "../../elements.ts";

/** Changes the file that a push is writing, as a disk does that keeps other bytes than it was given. */
const FAULTS: readonly (readonly [name: string, fault: (path: string) => void])[] = [
  ["other bytes", (path) => writeFileSync(path, "x", { flag: "r+" })],
  ["fewer bytes", (path) => truncateSync(path, 5)],
];

test.for(FAULTS)("a version of which the directory keeps %s is not called stored", async ([, fault]) => {
  let isFaulty = true;
  const { store, tree } = await directoryStore({
    onProgress: ({ stage }) => {
      if (!isFaulty || stage !== "upload") return;
      const folder = join(tree, "agents");
      for (const name of readdirSync(folder)) if (!name.endsWith(".sha256")) fault(join(folder, name));
    },
  });
  await expect(store.backup(libraryOf("p"), { name: "agents" })).rejects.toMatchObject({
    code: "PERDURA_STORAGE",
    mayBeWritten: true,
    message: expect.stringMatching(/was sent, but it cannot be read back: .*Do not rely on it/) as string,
  });
  isFaulty = false;
  expect(await store.backup(libraryOf("p"), { name: "agents" })).toMatchObject({ stored: true });
  await store.close();
});
