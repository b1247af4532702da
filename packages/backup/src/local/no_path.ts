import { isAddress } from "@perdura/internals/text/addresses.js";
import { mayHoldSecret } from "@perdura/internals/terminal/redact_secrets.js";

/**
 * True for text that looks like an address or a connection string in place of a path: messages about the path would
 * repeat it. A path that looks like one has to begin with `./` or at the root.
 */
export function isNoPath(text: string): boolean {
  if (/^(?:[/\\](?![/\\])|\.{1,2}[/\\]|[a-z]:[/\\])/i.test(text)) return false;
  return isAddress(text) || mayHoldSecret(text);
}
