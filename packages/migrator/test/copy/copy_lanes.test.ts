import { once } from "node:events";
import { Writable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { copyInLanes, type Writing } from "../../src/copy/postgres/copy_lanes.ts";
import type { Row } from "../../src/copy/tables.ts";

/** Receives the text of the lanes, and keeps what they commit. */
class Taken {
  readonly committed: string[] = [];
  readonly reported: number[] = [];
  readonly #parts: Map<number, string[]> = new Map();

  readonly #take: (text: string, lane: number) => Promise<void>;

  /** @param take Handles a piece of text on a connection; it may wait, or throw. */
  constructor(take: (text: string, lane: number) => Promise<void> = () => Promise.resolve()) {
    this.#take = take;
  }

  get writing(): Writing {
    return {
      begin: (lane) => {
        expect(this.#parts.has(lane), "one COPY of a connection at a time").toBe(false);
        const texts: string[] = [];
        this.#parts.set(lane, texts);
        return Promise.resolve(
          new Writable({
            write: (chunk: Buffer, _, done) => {
              const text = chunk.toString();
              texts.push(text);
              void settle(this.#take(text, lane), done);
            },
          }),
        );
      },
      commit: (lane) => {
        this.committed.push((this.#parts.get(lane) as string[]).join(""));
        this.#parts.delete(lane);
        return Promise.resolve();
      },
      lines: ([key]) => [`${key}`, "\n"],
      tell: (added) => {
        this.reported.push(added);
        return Promise.resolve();
      },
    };
  }

  /** The keys of the committed rows. */
  get keys(): number[] {
    return this.committed.flatMap((text) => text.split("\n").slice(0, -1).map(Number));
  }
}

async function settle(task: Promise<void>, done: (error?: Error) => void): Promise<void> {
  try {
    await task;
    done();
  } catch (error) {
    done(error as Error);
  }
}

async function* batchesOf(sizes: readonly number[]): AsyncGenerator<readonly Row[], void> {
  let key = 0;
  for (const size of sizes) yield Array.from({ length: size }, (): Row => [`${(key += 1)}`]);
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const inOrder = (keys: readonly number[]): number[] => keys.toSorted((left, right) => left - right);

test("writes and reports every row once, in batches of any size", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 30_000 }), { maxLength: 12 }), async (sizes) => {
      const taken = new Taken();
      await copyInLanes(batchesOf(sizes), taken.writing);
      const count = sizes.reduce((sum, size) => sum + size, 0);
      expect(inOrder(taken.keys)).toEqual(upTo(count));
      expect(taken.reported.toSorted((left, right) => left - right)).toEqual(taken.reported);
      expect(taken.reported.length === 0 ? 0 : taken.reported.at(-1)).toBe(count);
    }),
    { numRuns: 20 },
  );
});

test("limits the size of transactions, and opens no unneeded connection", async () => {
  const taken = new Taken();
  await copyInLanes(batchesOf(Array.from({ length: 250 }, () => 1000)), taken.writing);
  for (const text of taken.committed) expect(text.split("\n").length - 1).toBeLessThanOrEqual(100_000);
  const one = new Taken();
  await copyInLanes(batchesOf([5]), one.writing);
  expect(one.committed).toEqual(["1\n2\n3\n4\n5\n"]);
  const none = new Taken();
  await copyInLanes(batchesOf([]), none.writing);
  expect(none.committed).toEqual([]);
});

test("opens all connections before it writes rows", async () => {
  const events: string[] = [];
  const taken = new Taken((_, lane) => Promise.resolve(void events.push(`${lane} writes`)));
  const writing = taken.writing;
  await copyInLanes(batchesOf([1000, 1000, 1000]), {
    ...writing,
    begin: async (lane) => {
      // As long as connecting takes.
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      events.push(`${lane} is there`);
      return writing.begin(lane);
    },
  });
  expect(events.slice(0, 2)).toEqual(["0 is there", "1 is there"]);
  expect(new Set(events.slice(2))).toEqual(new Set(["0 writes", "1 writes"]));
  expect(inOrder(taken.keys)).toEqual(upTo(3000));
});

test("a waiting lane does not block the other", async () => {
  const events = new EventTarget();
  let stuck: number | undefined;
  const taken = new Taken(async (_, lane) => {
    if (stuck !== undefined && lane !== stuck) return;
    if (stuck !== undefined) return;
    stuck = lane;
    await once(events, "go on");
  });
  const writing = taken.writing;
  const copied = copyInLanes(batchesOf(Array.from({ length: 300 }, () => 1000)), {
    ...writing,
    commit: async (lane) => {
      await writing.commit(lane);
      // The rows that the first lane holds are less than two parts.
      if (lane !== stuck && taken.keys.length >= 200_000) events.dispatchEvent(new Event("go on"));
    },
  });
  await copied;
  expect(inOrder(taken.keys)).toEqual(upTo(300_000));
});

test("ends all lanes with the error of a failed connection; committed rows are kept", async () => {
  const taken = new Taken((text) =>
    text.includes("150000\n") ? Promise.reject(new Error("refused")) : Promise.resolve(),
  );
  let ended = false;
  const rows = async function* (): AsyncGenerator<readonly Row[], void> {
    try {
      yield* batchesOf(Array.from({ length: 1000 }, () => 1000));
    } finally {
      ended = true;
    }
  };
  await expect(copyInLanes(rows(), taken.writing)).rejects.toThrow("refused");
  expect(ended).toBe(true);
  expect(taken.keys).not.toContain(150_000);
  expect(new Set(taken.keys).size).toBe(taken.keys.length);
  expect(taken.keys.length).toBeLessThanOrEqual(300_000);
});

test("does not wait for a connection that never answers", async () => {
  const connections: Writable[] = [];
  const taken = new Taken();
  const writing: Writing = {
    ...taken.writing,
    begin: async (lane) => {
      if (lane === 0) return taken.writing.begin(lane);
      const stuck = new Writable({ write: () => undefined, destroy: () => undefined });
      connections.push(stuck);
      return stuck;
    },
    tell: (added) => (added < 4000 ? Promise.resolve() : Promise.reject(new Error("enough"))),
  };
  await expect(copyInLanes(batchesOf(Array.from({ length: 9 }, () => 1000)), writing)).rejects.toThrow("enough");
  expect(connections).toHaveLength(1);
  connections[0]?.emit("error", new Error("terminating connection"));
});

test("throws errors of the source and the caller", async () => {
  const rows = async function* (): AsyncGenerator<readonly Row[], void> {
    yield* batchesOf([1000, 1000, 1000]);
    throw new Error("no more");
  };
  await expect(copyInLanes(rows(), new Taken().writing)).rejects.toThrow("no more");
  const tell = (): Promise<void> => Promise.reject(new Error("enough"));
  await expect(copyInLanes(batchesOf([1, 1]), { ...new Taken().writing, tell })).rejects.toThrow("enough");
});
