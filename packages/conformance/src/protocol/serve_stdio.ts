import type { Adapter, Request } from "./messages.ts";
import { parseJson } from "../values/parse_json.ts";

/**
 * Serves an adapter over standard input and output until `bye` or the end of the input. An exception of the adapter
 * ends the process like any crash.
 */
export async function serveStdio(adapter: Adapter): Promise<void> {
  for await (const line of lines(process.stdin)) {
    const request = parseJson(line) as Request;
    const answer = await adapter.handle(request);
    process.stdout.write(`${JSON.stringify(answer)}\n`);
    if (request.type === "bye") return;
  }
}

/** Lines end with a line feed only: Node's readline also splits at U+2028, which JSON text may contain. */
async function* lines(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  // Joined only at the end of a line: a long one arrives in hundreds of chunks.
  let chunks: Buffer[] = [];
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      yield Buffer.concat([...chunks, chunk.subarray(start, end)]).toString("utf8");
      chunks = [];
      start = end + 1;
    }
    if (start < chunk.length) chunks.push(chunk.subarray(start));
  }
}
