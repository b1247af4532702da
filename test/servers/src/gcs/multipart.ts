import { invalid } from "./refusal.ts";

export interface Part {
  contentType: string | undefined;
  body: Buffer;
}

/** The parts of a `multipart/related` body. Every byte must belong to a part or to a delimiter. */
export function partsOf(contentType: string | undefined, body: Buffer): Part[] {
  const [, quoted, plain] =
    /^multipart\/related\s*;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*$/i.exec(contentType ?? "") ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw invalid(`Invalid content type for multipart: ${contentType ?? "none"}`);
  const line = Buffer.from(`--${boundary}`);
  if (!body.subarray(0, line.length).equals(line)) throw invalid("Malformed multipart body.");
  const parts: Part[] = [];
  let at = line.length;
  for (;;) {
    const rest = body.subarray(at, at + 2).toString("latin1");
    if (rest === "--") break;
    if (rest !== "\r\n") throw invalid("Malformed multipart body.");
    const headersEnd = body.indexOf("\r\n\r\n", at);
    const next = headersEnd < 0 ? -1 : body.indexOf(Buffer.concat([Buffer.from("\r\n"), line]), headersEnd + 4);
    if (next < 0) throw invalid("Malformed multipart body: there is no closing boundary.");
    parts.push({ contentType: typeIn(body.subarray(at + 2, headersEnd)), body: body.subarray(headersEnd + 4, next) });
    at = next + 2 + line.length;
  }
  if (!/^--(?:\r\n)?$/.test(body.subarray(at).toString("latin1"))) throw invalid("Malformed multipart body.");
  return parts;
}

function typeIn(headers: Buffer): string | undefined {
  let found: string | undefined;
  for (const line of headers.toString("latin1").split("\r\n")) {
    const [, name, value] = /^([A-Za-z0-9-]+):\s*(.*)$/.exec(line) ?? [];
    if (name?.toLowerCase() !== "content-type")
      throw invalid(`The test server does not support the header ${line} of a part.`);
    found = value;
  }
  return found;
}
