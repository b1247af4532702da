import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { writeFileAtomically } from "../../src/files/atomic_write.ts";
import { openFilesIn } from "./open_files_in.ts";
import { ANY_CHARACTER } from "../../../../test/any_character.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { ON_LINUX } from "../../../../test/needs.ts";

const folder = freshFolder();

it("a file contains all that was written, for any division into chunks", () => {
  const piece = fc.oneof(
    fc.string({ unit: ANY_CHARACTER, maxLength: 40 }),
    fc.uint8Array({ maxLength: 40 }),
    // Sizes near those of the buffers.
    fc
      .tuple(fc.constantFrom("a", "é", "漢", "😀"), fc.constantFrom(21_000, 22_000, 66_000, 700_000, 2_200_000))
      .map(([character, times]) => character.repeat(times)),
  );
  const path = join(folder, "pieces");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      writeFileAtomically(path, (write) => pieces.forEach((chunk) => write(chunk)));
      expect(readFileSync(path).equals(Buffer.concat(pieces.map((chunk) => Buffer.from(chunk as string))))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

it("a synchronous loop of writes keeps few files open, and none afterwards", ON_LINUX, async () => {
  const chunk = "x".repeat(1 << 20);
  for (let file = 0; file < 10; file += 1) {
    writeFileAtomically(join(folder, `file ${file}`), (write) => {
      for (let part = 0; part < 6; part += 1) write(chunk);
    });
  }
  const open = (): number => openFilesIn(folder);
  expect(open()).toBeLessThanOrEqual(4);
  expect(open()).toBeGreaterThan(0);
  await expect.poll(open).toBe(0);
  // Now they may be open again.
  writeFileAtomically(join(folder, "another"), (write) => [1, 2, 3, 4, 5].forEach(() => write(chunk)));
  expect(open()).toBe(1);
});
