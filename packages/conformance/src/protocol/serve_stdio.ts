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
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of input) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      yield rest.toString("utf8", 0, end);
      rest = rest.subarray(end + 1);
    }
  }
}
