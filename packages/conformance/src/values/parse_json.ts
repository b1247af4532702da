import { readFileSync } from "node:fs";
import { escapeControls } from "./escape.ts";
import { hasEscapedKey, NotJson, readJsonText } from "./json_reader.ts";

/**
 * Parses JSON like `JSON.parse`, without a bug of V8 13 and newer (Node 24), which may confuse a key that contains an
 * escape with another key: it compares the undecoded key with the key that earlier objects had at its place. After
 * `{"\\n": 0}`, `{"\n": 0}` has the key `\n` of two characters. The suite must not judge a key that an adapter never
 * sent, so texts with such a key are parsed by our own reader.
 * @throws {SyntaxError} like `JSON.parse`.
 * @example parseJson('{"a\\n": 1}') // { "a\n": 1 }
 */
export function parseJson(text: string): unknown {
  if (!hasEscapedKey(text)) return JSON.parse(text) as unknown;
  try {
    return readJsonText(text, { plain: true });
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    // For its well-known messages, and for texts that are too deeply nested for our reader.
    return JSON.parse(text) as unknown;
  }
}

/**
 * Reads a file of JSON.
 * @param what name of the file for messages.
 * @throws {Error} when the file cannot be read or is not JSON. The message may quote a part of the text.
 */
export function readJsonFile(file: string, what: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`${what} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw new Error(`${what} is not JSON: ${escapeControls((error as Error).message)}`, { cause: error });
  }
}
