import type { JsonObject, JsonValue } from "../values/json_value.ts";

/** The version of the adapter protocol that this suite speaks. */
export const PROTOCOL = 1;

/** Longest line in either direction, in bytes. */
export const MESSAGE_LIMIT: number = 16 * 1024 * 1024;

/** The closed set of error kinds. */
export type ErrorKind = "not_found" | "invalid_json" | "rejected" | "other";

/** What the suite sends; docs/adapter.md explains each. */
export type Request =
  | { seq: number; type: "hello"; protocol: number; line: string; sandbox: string }
  | { seq: number; type: "begin"; case: string; directory: string }
  | { seq: number; type: "call"; op: string; args: JsonObject; handle?: string; keep?: string }
  | { seq: number; type: "settle" }
  | { seq: number; type: "end" }
  | { seq: number; type: "bye" };

/** What an implementation says about itself in reply to `hello`. */
export interface Introduction {
  protocol: number;
  /** The specification version that it implements, in full. */
  spec_version: string;
  implementation: { name: string; version: string; language: string };
  /** The capability groups that are there completely. */
  capabilities: string[];
  /** Open questions (`U-` ids) that it answers: `"ruled"` for our ruling, or its own answer in words. */
  choices: Record<string, string>;
}

/** Where the dump of a database lies; docs/table-dump.md describes it. */
export interface DumpedDatabase {
  /** As the case named the database. */
  db_path: string;
  /** Absolute path, in the case's directory. */
  file: string;
}

/** What an adapter answers; `seq` is the one of the request. */
export type Answer =
  | { seq: number; type: "ok"; value?: JsonValue }
  | ({ seq: number; type: "ok" } & Introduction)
  | { seq: number; type: "ok"; tables: DumpedDatabase[] }
  | { seq: number; type: "error"; kind: ErrorKind; native: string; message: string }
  | { seq: number; type: "unsupported"; reason: string };

/** The same interface for an adapter in this process and for the loop that serves one over stdio. */
export interface Adapter {
  /**
   * Answers one request. Whatever it throws counts as a crash: errors of the implementation are answers.
   */
  handle(request: Request): Answer | Promise<Answer>;
}
