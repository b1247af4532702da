import { createHash } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import {
  ALGORITHM,
  canonicalRequest,
  scopeText,
  sha256,
  signatureOf,
  signingKey,
} from "../../src/s3/authentication/signature.ts";
import { callOf } from "../../src/s3/call.ts";
import type { S3Server } from "../../src/s3/server.ts";

/** A request that no SDK sends. */
export interface Raw {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: Buffer | string;
  /** Only these headers are signed. */
  signedHeaders?: string[];
  accessKeyId?: string;
  secret?: string;
  region?: string;
  date?: Date;
  /** Changes the final headers. */
  forge?: (headers: Record<string, string>) => void;
  /** Breaks the connection after the body, which is shorter than its declared length. */
  endEarly?: boolean;
  /** Makes a body from the request's own signature. */
  bodyOf?: (seed: { key: Buffer; amzDate: string; scope: string; signature: string }) => Buffer;
}

export interface RawAnswer {
  status: number;
  headers: IncomingMessage["headers"];
  text: string;
  code: string | undefined;
}

export function md5(data: Buffer | string): string {
  return createHash("md5").update(data).digest("base64");
}

/** Signs a request and sends it. */
export async function raw(server: S3Server, what: Raw): Promise<RawAnswer> {
  const { method = "GET", body = "", date = new Date(), region = server.region } = what;
  const host = server.endpoint.slice("http://".length);
  const amzDate = date.toISOString().replace(/[-:]|\.\d+/g, "");
  const headers: Record<string, string> = {
    host,
    "x-amz-date": amzDate,
    "x-amz-content-sha256": sha256(Buffer.from(body)),
    ...(what.bodyOf === undefined && method !== "GET" ? { "content-length": String(Buffer.byteLength(body)) } : {}),
    ...what.headers,
  };
  const scope = { date: amzDate.slice(0, 8), region };
  const signed = what.signedHeaders ?? Object.keys(headers).sort();
  const key = signingKey(what.secret ?? server.credentials.secretAccessKey, scope);
  const call = callOf({ url: what.path, method, headers } as unknown as IncomingMessage, host);
  const canonical = canonicalRequest(call, signed, headers["x-amz-content-sha256"] as string);
  const signature = signatureOf(key, [ALGORITHM, amzDate, scopeText(scope), sha256(canonical)].join("\n"));
  headers["authorization"] =
    `${ALGORITHM} Credential=${what.accessKeyId ?? server.credentials.accessKeyId}/${scopeText(scope)}, SignedHeaders=${signed.join(";")}, Signature=${signature}`;
  what.forge?.(headers);
  const sent = what.bodyOf?.({ key, amzDate, scope: scopeText(scope), signature }) ?? Buffer.from(body);
  return exchange(server, what, method, headers, sent);
}

async function exchange(
  server: S3Server,
  { path, endEarly = false }: Raw,
  method: string,
  headers: Record<string, string>,
  body: Buffer,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(server.endpoint);
  const outgoing = request({ hostname, port, path, method, headers, agent: false });
  if (endEarly) outgoing.write(body, () => outgoing.socket?.end());
  else outgoing.end(body.length === 0 ? undefined : body);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  let text = "";
  for await (const piece of answer.setEncoding("utf8")) text += String(piece);
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    text,
    code: /<Code>(\w+)<\/Code>/.exec(text)?.[1],
  };
}
