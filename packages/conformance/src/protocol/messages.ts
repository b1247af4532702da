import type { JsonObject, JsonValue } from "../values/json_value.ts";

/** Version of the adapter protocol that this suite uses. */
export const PROTOCOL = 1;

/** Maximum length of a line in either direction, in bytes. */
export const MESSAGE_LIMIT: number = 16 * 1024 * 1024;

/** The closed set of error kinds. */
export type ErrorKind = "not_found" | "invalid_json" | "rejected" | "other";

/** Messages of the suite; docs/adapter.md explains each. */
export type Request =
  | { seq: number; type: "hello"; protocol: number; line: string; sandbox: string }
  | { seq: number; type: "begin"; case: string; directory: string }
  | { seq: number; type: "call"; op: string; args: JsonObject; handle?: string; keep?: string }
  | { seq: number; type: "settle" }
  | { seq: number; type: "end" }
  | { seq: number; type: "bye" };

/** Answer of an adapter to `hello`, which describes the implementation. */
export interface Introduction {
  protocol: number;
  /** The full version of the specification that it implements. */
  spec_version: string;
  implementation: { name: string; version: string; language: string };
  /** Capability groups that are implemented completely, and single operations of other groups. */
  capabilities: string[];
  /** Groups that its language cannot have, each with the reason: their cases are then inapplicable. */
  inapplicable?: Record<string, string>;
  /** Its answers to open questions (`U-` ids): `"ruled"` for our ruling, or another answer in words. */
  choices: Record<string, string>;
}

/** Location of the dump of a database; docs/table-dump.md describes its form. */
export interface DumpedDatabase {
  /** Path of the database in the case. */
  db_path: string;
  /** Absolute path, in the case's directory. */
  file: string;
}

/** Answer of an adapter; `seq` is that of the request. */
export type Answer =
  | { seq: number; type: "ok"; value?: JsonValue }
  | ({ seq: number; type: "ok" } & Introduction)
  | { seq: number; type: "ok"; tables: DumpedDatabase[] }
  | { seq: number; type: "error"; kind: ErrorKind; native: string; message: string }
  | { seq: number; type: "unsupported"; reason: string };

/** Interface of an adapter in this process, and of one that is served over stdio. */
export interface Adapter {
  /** Answers one request. An exception counts as a crash: errors of the implementation are answers. */
  handle(request: Request): Answer | Promise<Answer>;
}
