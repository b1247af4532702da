import type { Pattern } from "@perdura/v16";

/** A pattern as a document has it: with the T in timestamps that have a blank. */
export function asDocumented(pattern: Pattern): Pattern {
  return { ...pattern, discovered_at: withT(pattern.discovered_at), last_used: withT(pattern.last_used) };
}

const withT = (timestamp: string | null): string | null => timestamp?.replace(" ", "T") ?? null;
