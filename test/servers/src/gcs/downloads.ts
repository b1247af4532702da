import { createReadStream } from "node:fs";
import type { ServerResponse } from "node:http";
import { assertConditions, CONDITIONS, conditionsOf, notModified } from "./conditions.ts";
import { answerJson, assertKnown, header, parameter } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { Fault } from "./faults.ts";
import { Refusal } from "./refusal.ts";
import { partOf, resourceOf } from "./resource.ts";
import type { Store, StoredObject } from "./store.ts";

/** Answers with an object's resource, or with its bytes for `alt=media`. */
export async function getObject(
  exchange: Exchange,
  store: Store,
  bucket: string,
  name: string,
  endpoint: string,
): Promise<void> {
  const isMedia = parameter(exchange, "alt") === "media";
  assertKnown(exchange, [...CONDITIONS, "generation", ...(isMedia ? [] : ["fields"])], isMedia ? ["range"] : []);
  const found = store.get(bucket, name, parameter(exchange, "generation"));
  const conditions = conditionsOf(exchange);
  if (notModified(conditions, found)) exchange.response.writeHead(304).end();
  else {
    assertConditions(conditions, found);
    if (isMedia) await sendBytes(exchange, found);
    else answerJson(exchange, partOf(resourceOf(found, endpoint), parameter(exchange, "fields")));
  }
}

async function sendBytes(exchange: Exchange, found: StoredObject): Promise<void> {
  const asked = header(exchange, "range");
  const range = asked === undefined || exchange.fault?.kind === "wholeAnswer" ? undefined : rangeOf(asked, found.size);
  const { start, end: whole } = range ?? { start: 0, end: found.size };
  const end = whole - (exchange.fault?.kind === "short" ? exchange.fault.bytes : 0);
  exchange.response.writeHead(range === undefined ? 200 : 206, {
    "content-type": found.contentType,
    "content-length": end - start,
    "x-goog-hash": `crc32c=${found.crc32c},md5=${found.md5}`,
    "x-goog-generation": found.generation,
    "x-goog-metageneration": found.metageneration,
    "x-goog-stored-content-encoding": "identity",
    "x-goog-stored-content-length": found.size,
    ...(range === undefined ? {} : { "content-range": `bytes ${start}-${whole - 1}/${found.size}` }),
  });
  if (start < end) await sendFile(exchange, createReadStream(found.file, { start, end: end - 1 }));
  else exchange.response.end();
}

/** Parses a single range. A header of another form is ignored, as in HTTP: everything is sent. */
function rangeOf(asked: string, size: number): { start: number; end: number } | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(asked) ?? [];
  if (first === undefined || last === undefined || `${first}${last}` === "") return undefined;
  const start = first === "" ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(Number(last) + 1, size);
  if (start < end) return { start, end };
  throw new Refusal(416, "requestedRangeNotSatisfiable", "Request range not satisfiable", {
    locationType: "header",
    location: "Range",
  });
}

async function sendFile({ response, fault }: Exchange, bytes: AsyncIterable<Buffer>): Promise<void> {
  let left = fault?.kind === "cut" ? fault.bytes : Infinity;
  let corrupt = fault?.kind === "corruptAnswer";
  for await (const piece of bytes) {
    const sent = piece.subarray(0, Math.min(piece.length, left));
    if (corrupt) sent[0] = (sent[0] as number) ^ 1;
    corrupt = false;
    left -= sent.length;
    await new Promise<void>((settle) => response.write(sent, () => settle()));
    if (left <= 0) return stop(response, fault);
    if (response.destroyed) return;
  }
  response.end();
}

function stop(response: ServerResponse, fault: Fault | undefined): void {
  if (fault?.kind === "cut" && fault.after === "reset") response.socket?.resetAndDestroy();
}
