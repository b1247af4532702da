import { StorageError } from "@perdura/internals/errors/errors.js";

/** What a connection string says, by lower-case names. */
export type ConnectionParts = ReadonlyMap<string, string>;

/** @throws StorageError for text that is no connection string; it shows nothing of it. */
export function connectionParts(text: string, place: string): ConnectionParts {
  const pairs = text
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "");
  const parts = new Map(
    pairs.map((pair) => [pair.split("=", 1)[0]?.toLowerCase() ?? "", pair.slice(pair.indexOf("=") + 1)]),
  );
  const [endpoint, account] = [parts.get("blobendpoint"), parts.get("accountname")];
  const development = parts.get("usedevelopmentstorage")?.toLowerCase() === "true";
  const secret = parts.get("accountkey") ?? parts.get("sharedaccesssignature");
  if (pairs.every((pair) => pair.includes("=")) && (development || (secret && (endpoint ?? account)))) {
    const key = parts.get("accountkey");
    if (key !== undefined) assertKey(key, "the AccountKey of AZURE_STORAGE_CONNECTION_STRING", place);
    if (endpoint === undefined || URL.canParse(endpoint)) return parts;
  }
  throw new StorageError(
    `${place}: AZURE_STORAGE_CONNECTION_STRING cannot be used: expected AccountName=…;AccountKey=… or BlobEndpoint=…;SharedAccessSignature=…, got something else. Nothing was sent.`,
    { path: place },
  );
}

/** A connection string with what the SDK wants to be told; the portal's have it, what people shorten has not. */
export function completed(text: string, parts: ConnectionParts): string {
  if (parts.has("blobendpoint") || parts.has("usedevelopmentstorage")) return text;
  const missing = Object.entries({ DefaultEndpointsProtocol: "https", EndpointSuffix: "core.windows.net" }).filter(
    ([name]) => !parts.has(name.toLowerCase()),
  );
  return [text.replace(/;\s*$/, ""), ...missing.map((pair) => pair.join("="))].join(";");
}

/** @throws StorageError for a key that is not in base64, which would be refused as a wrong one. */
export function assertKey(key: string, what: string, place: string): void {
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(key) && key.length % 4 === 0) return;
  throw new StorageError(`${place}: ${what} cannot be used: expected a key in base64. Nothing was sent.`, {
    path: place,
  });
}

/** Whether a connection string is about the account of a host. */
export function isAbout(parts: ConnectionParts, account: string, host: string): boolean {
  const endpoint = parts.get("blobendpoint");
  // The same account by another way, such as a proxy, is not what the address says.
  if (endpoint !== undefined) return URL.canParse(endpoint) && new URL(endpoint).hostname === host;
  return parts.get("accountname") === account;
}
