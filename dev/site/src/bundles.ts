import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";

/** Reads what TypeDoc packs for the browser: `window.searchData = "…"`, JSON that is deflated and in base64. */
export function readBundle(place: string, name: "search" | "navigation"): unknown {
  const [, packed = ""] = /"([^"]+)"/.exec(readFileSync(join(place, "assets", `${name}.js`), "utf8")) ?? [];
  return JSON.parse(inflateSync(Buffer.from(packed, "base64")).toString("utf8"));
}
