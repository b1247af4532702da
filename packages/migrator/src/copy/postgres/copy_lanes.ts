import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Row } from "../tables.ts";

/** Operations that write rows. */
export interface Writing {
  /** Starts a transaction, and in it a COPY, on the connection of a lane. */
  begin: (lane: number) => Promise<Writable>;
  commit: (lane: number) => Promise<void>;
  /** A row in the format of COPY, in several pieces if it is long. */
  lines: (row: Row) => Iterable<string>;
  tell: (added: number) => Promise<void>;
}

type Batches = AsyncIterator<readonly Row[], unknown>;

/**
 * Writes rows over several connections, each of which takes the next batch when it is ready. If one fails, all end;
 * committed rows stay.
 */
export async function copyInLanes(rows: AsyncIterable<readonly Row[]>, writing: Writing): Promise<void> {
  const batches: Batches = rows[Symbol.asyncIterator]();
  const failed = new AbortController();
  let added = 0;
  const tell = (more: number): Promise<void> => writing.tell((added += more));
  try {
    const parts = await beginLanes(batches, writing, failed.signal);
    const lanes = parts.map(async (part, lane) => {
      try {
        await writeLane(lane, part, batches, { ...writing, tell }, failed.signal);
      } catch (error) {
        // Only the first reason counts; the errors of the other lanes are consequences.
        failed.abort(error);
      }
    });
    await Promise.all(lanes);
  } finally {
    await batches.return?.();
  }
  failed.signal.throwIfAborted();
}

/** A COPY in progress, with its first rows. */
interface Part {
  first: readonly Row[];
  copy: Writable;
}

/**
 * Number of connections that write in parallel: a process of the server uses one processor, and writing waits for the
 * server.
 */
const LANES = 2;

/**
 * Starts a COPY on each connection for which there are rows. All connections are open before the first row is written:
 * preparing large values blocks this process, so that a server's answer to a new connection would be read after the
 * time-out.
 */
async function beginLanes(batches: Batches, writing: Writing, signal: AbortSignal): Promise<Part[]> {
  const parts: Part[] = [];
  for (let lane = 0; lane < LANES; lane += 1) {
    const part = await nextPart(lane, batches, writing, signal);
    if (part === undefined) break;
    parts.push(part);
  }
  return parts;
}

async function nextPart(
  lane: number,
  batches: Batches,
  writing: Writing,
  signal: AbortSignal,
): Promise<Part | undefined> {
  const first = await nextOf(batches, signal);
  if (first === undefined) return undefined;
  const copy = await writing.begin(lane);
  // The error of a dying server may arrive when this lane has already ended because of another one.
  copy.on("error", () => undefined);
  return { first, copy };
}

/**
 * Writes a part, then further ones.
 *
 * @param begun The first part.
 * @param writing Its `tell` takes the number of additional rows.
 */
async function writeLane(
  lane: number,
  begun: Part,
  batches: Batches,
  writing: Writing,
  signal: AbortSignal,
): Promise<void> {
  const stopped = rejectedBy(signal);
  for (let part: Part | undefined = begun; part !== undefined;) {
    const text = Readable.from(textOf(part.first, batches, writing, signal), { objectMode: true, highWaterMark: 16 });
    // If the server waits for a lock, the end of its connection need not be waited for.
    await Promise.race([pipeline(text, part.copy, { signal }), stopped]);
    await writing.commit(lane);
    part = await nextPart(lane, batches, writing, signal);
  }
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  const rejected = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  // Avoids an unhandled rejection if no code awaits it.
  rejected.catch(() => undefined);
  return rejected;
}

/** Number of rows after which a lane commits; a killed copy loses only uncommitted ones. */
const ROWS_PER_COMMIT = 100_000;

/** Number of characters that are sent at once. */
const CHARACTERS_PER_WRITE = 1 << 16;

/** The text of the rows of one transaction. */
async function* textOf(
  first: readonly Row[],
  batches: Batches,
  { lines, tell }: Writing,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  let text = "";
  let count = 0;
  for (let batch: readonly Row[] | undefined = first; batch !== undefined;) {
    for (const row of batch)
      for (const piece of lines(row)) {
        text += piece;
        if (text.length < CHARACTERS_PER_WRITE) continue;
        yield Buffer.from(text);
        text = "";
      }
    count += batch.length;
    await tell(batch.length);
    batch = count < ROWS_PER_COMMIT ? await nextOf(batches, signal) : undefined;
  }
  if (text !== "") yield Buffer.from(text);
}

async function nextOf(batches: Batches, signal: AbortSignal): Promise<readonly Row[] | undefined> {
  signal.throwIfAborted();
  const { done, value } = await batches.next();
  return done === true ? undefined : (value as readonly Row[]);
}

/** A field of a line: the index of its value in a row, and its kind: only text needs escapes. */
export interface Field {
  index: number;
  isText: boolean;
}

/** Number of characters that are escaped at once; the result for a longer value may exceed the longest string. */
const AT_ONCE = 1 << 20;

const ESCAPES: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A row in the text format of COPY: one line, in several pieces if a value is long. */
export function* lineOf(row: Row, fields: readonly Field[]): Generator<string, void> {
  let line = "";
  let between = "";
  for (const { index, isText } of fields) {
    const value = row[index] ?? null;
    line += between;
    between = "\t";
    if (value === null) line += "\\N";
    else if (!isText) line += value;
    else if (value.length <= AT_ONCE) line += escaped(value);
    else {
      yield line;
      line = "";
      for (const piece of piecesOf(value)) yield escaped(piece);
    }
  }
  yield `${line}\n`;
}

function escaped(text: string): string {
  return /[\\\n\r\t]/.test(text) ? text.replaceAll(/[\\\n\r\t]/g, (found) => ESCAPES[found] as string) : text;
}

function* piecesOf(text: string): Generator<string, void> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + AT_ONCE, text.length);
    // Does not split a surrogate pair: each piece is encoded separately.
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end += 1;
    yield text.slice(start, end);
    start = end;
  }
}
