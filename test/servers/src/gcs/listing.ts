import { answerJson, assertKnown, parameter } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import { invalid } from "./refusal.ts";
import { partOf, resourceOf } from "./resource.ts";
import type { Store } from "./store.ts";

/** Maximum size of a page. */
const PAGE = 1000;

/**
 * Lists the objects of a bucket, page by page, in the order of their names' bytes; names up to a delimiter appear once,
 * as `prefixes`.
 */
export function listObjects(
  exchange: Exchange,
  { store, endpoint, options }: { store: Store; endpoint: string; options: { pageSize?: number } },
  bucket: string,
): void {
  assertKnown(exchange, ["prefix", "delimiter", "pageToken", "maxResults", "fields"]);
  const prefix = parameter(exchange, "prefix") ?? "";
  const delimiter = parameter(exchange, "delimiter") ?? "";
  const after = afterToken(parameter(exchange, "pageToken"));
  const most = Math.min(mostOf(parameter(exchange, "maxResults")), options.pageSize ?? PAGE);
  const items: unknown[] = [];
  const prefixes = new Set<string>();
  let last: string | undefined;
  let next: string | undefined;
  for (const stored of store.sorted(bucket)) {
    const { name } = stored;
    if (!name.startsWith(prefix)) continue;
    const cut = delimiter === "" ? -1 : name.indexOf(delimiter, prefix.length);
    const shown = cut < 0 ? name : name.slice(0, cut + delimiter.length);
    if (after !== undefined && Buffer.compare(Buffer.from(shown), after) <= 0) continue;
    if (prefixes.has(shown)) continue;
    if (items.length + prefixes.size === most) {
      next = last;
      break;
    }
    if (cut < 0) items.push(resourceOf(stored, endpoint));
    else prefixes.add(shown);
    last = shown;
  }
  const page = {
    kind: "storage#objects",
    ...(next === undefined ? {} : { nextPageToken: Buffer.from(`after ${next}`).toString("base64url") }),
    ...(prefixes.size === 0 ? {} : { prefixes: [...prefixes] }),
    ...(items.length === 0 ? {} : { items }),
  };
  answerJson(exchange, partOf(page, parameter(exchange, "fields")));
}

function afterToken(token: string | undefined): Buffer | undefined {
  if (token === undefined) return undefined;
  const [, name] = /^after ([^]+)$/.exec(Buffer.from(token, "base64url").toString()) ?? [];
  if (name === undefined) throw invalid("Invalid value for pageToken");
  return Buffer.from(name);
}

function mostOf(text: string | undefined): number {
  if (text === undefined) return PAGE;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw invalid(`Invalid value for maxResults: ${text}`);
  return Math.min(Number(text), PAGE);
}
