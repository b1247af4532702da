import { chmodSync, lutimesSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import fc from "fast-check";

/** An entry of a directory of states. Names are bytes: they need not be UTF-8. */
export type RandomEntry = { name: Buffer; mtime: number } & (
  | { kind: "file"; content: Buffer; mode: number }
  | { kind: "link"; target: string }
  | { kind: "directory"; entries: RandomEntry[]; mode: number }
);

/** Any name that a file system accepts for one entry; many end like states. */
const name: fc.Arbitrary<Buffer> = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(
        "alice",
        "Alice",
        "x.json",
        ".hidden",
        "100%",
        "%41",
        "CON",
        "a b ",
        "line\nend",
        "session_1",
        "m.db-wal",
      ),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
      fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    ),
    fc.constantFrom(".json", ".json", ".json", "", ".tmp"),
  )
  .map(([stem, end]) => Buffer.concat([Buffer.from(stem as string), Buffer.from(end)]))
  .filter((bytes) => !bytes.includes(0) && !bytes.includes(0x2f) && !/^\.{1,2}$/.test(bytes.toString("latin1")));

const state = fc
  .record(
    {
      user_id: fc.string({ maxLength: 10 }),
      trust_level: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom("high", 2, null)),
      current_level: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom("3", 2.5, 2 ** 60)),
      total_interactions: fc.integer({ min: -1, max: 1000 }),
      shared_context: fc.jsonValue(),
      saved_at: fc.string({ maxLength: 20 }),
    },
    { requiredKeys: [] },
  )
  .map((value) => JSON.stringify(value));

const content: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 4, arbitrary: state.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.tuple(state, fc.nat(60)).map(([text, cut]) => Buffer.from(text.slice(0, cut))) },
  { weight: 1, arbitrary: state.map((text) => Buffer.from(`\ufeff${text.replace("null", "NaN")}`)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 200_000 }).map((size) => Buffer.alloc(size, "compressible ")) },
);

/** Seconds since 1970, with a fraction; also before 1970. */
const mtime = fc.oneof(fc.double({ min: -1e9, max: 4e9, noNaN: true }), fc.integer({ min: 0, max: 2_000_000_000 }));
const mode = fc.constantFrom(0o644, 0o600, 0o444, 0o755, 0o4711);

const { entries } = fc.letrec<{ entry: RandomEntry; entries: RandomEntry[] }>((tie) => ({
  entry: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ kind: fc.constant("file" as const), name, content, mode, mtime }),
    fc.record({ kind: fc.constant("file" as const), name, content, mode, mtime }),
    fc.record({
      kind: fc.constant("link" as const),
      name,
      target: fc.constantFrom("alice.json", "nowhere", "../outside", "/etc/hostname"),
      mtime,
    }),
    fc.record({
      kind: fc.constant("directory" as const),
      name,
      entries: tie("entries"),
      mode: fc.constantFrom(0o755, 0o700, 0o2750),
      mtime,
    }),
  ) as fc.Arbitrary<RandomEntry>,
  entries: fc.uniqueArray(tie("entry"), { selector: (entry) => entry.name.toString("latin1"), maxLength: 6 }),
}));

/** The content of a directory of states. */
export const randomEntries: fc.Arbitrary<RandomEntry[]> = entries;

/** Writes entries into an existing directory. */
export function writeEntries(directory: Buffer, list: readonly RandomEntry[]): void {
  for (const entry of list) {
    const path = Buffer.concat([directory, Buffer.from("/"), entry.name]);
    if (entry.kind === "link") {
      symlinkSync(entry.target, path);
      lutimesSync(path, entry.mtime, entry.mtime);
      continue;
    }
    if (entry.kind === "file") writeFileSync(path, entry.content);
    else {
      mkdirSync(path);
      writeEntries(path, entry.entries);
    }
    chmodSync(path, entry.mode);
    utimesSync(path, entry.mtime, entry.mtime);
  }
}
