import { type CopiedTable, keyOf } from "./tables.ts";

/** Orders keys as both databases do: numbers by size, text by its bytes in UTF-8. */
export function orderOf(table: CopiedTable): (left: string, right: string) => number {
  return keyOf(table).kind === "integer" ? byNumber : byBytes;
}

/** So many digits are exact in a double. */
const EXACT_DIGITS = 15;

function byNumber(left: string, right: string): number {
  if (left === right) return 0;
  if (left.length <= EXACT_DIGITS && right.length <= EXACT_DIGITS) return Number(left) - Number(right);
  return BigInt(left) < BigInt(right) ? -1 : 1;
}

function byBytes(left: string, right: string): number {
  return left === right ? 0 : Buffer.compare(Buffer.from(left), Buffer.from(right));
}
