import { createReadStream } from "node:fs";
import type { ServerResponse } from "node:http";
import type { Answer, FileRange } from "./answer.ts";
import type { Fault } from "./faults.ts";

/** Sends an answer, or a faulty one if a test injects a fault. */
export async function send(response: ServerResponse, answer: Answer, fault: Fault["what"] | undefined): Promise<void> {
  response.writeHead(answer.status, answer.headers);
  const { body = "" } = answer;
  if (typeof body === "string") {
    response.end(body);
    return;
  }
  const length = body.reduce((sum, range) => sum + range.length, 0);
  const half = Math.floor(length / 2);
  let sent = 0;
  for await (const bytes of bytesOf(body)) {
    if (response.destroyed) return;
    const stops = (fault === "truncate" || fault === "hang in body") && sent + bytes.length > half;
    if (fault === "corrupt" && sent === 0) bytes[0] = (bytes[0] as number) ^ 1;
    const piece = stops ? bytes.subarray(0, half - sent) : bytes;
    sent += piece.length;
    if (!response.write(piece)) await roomIn(response);
    if (!stops) continue;
    if (fault === "truncate") {
      // The written part must arrive before the connection ends.
      await new Promise((resolve) => response.write("", resolve));
      response.destroy();
    }
    return;
  }
  response.end();
}

async function* bytesOf(ranges: readonly FileRange[]): AsyncGenerator<Buffer> {
  for (const { file, start, length } of ranges)
    yield* createReadStream(file, { start, end: start + length - 1 }) as AsyncIterable<Buffer>;
}

/** Waits until a client has read what was sent, or has disconnected. */
function roomIn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}
