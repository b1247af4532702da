import { readFileSync } from "node:fs";
import { escapeControls } from "./escape.ts";
import { NotJson, readJsonText } from "./json_reader.ts";

/**
 * What `JSON.parse` should return. V8 13 and newer (Node 24) may take a key with an escape in it for another one: they
 * compare it undecoded with a key that earlier objects had in its place. After `{"\\n": 0}`, `{"\n": 0}` has the key `\n`
 * of two characters. An oracle must not see what an adapter never said, so texts with a backslash are read here.
 * @throws {SyntaxError} as `JSON.parse` does.
 * @example parseJson('{"a\\n": 1}') // { "a\n": 1 }
 */
export function parseJson(text: string): unknown {
  if (!text.includes("\\")) return JSON.parse(text) as unknown;
  try {
    return readJsonText(text, { plain: true });
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    // Its messages are the known ones; and it reads what is nested too deep here.
    return JSON.parse(text) as unknown;
  }
}

/**
 * Reads a file of JSON.
 * @param what names the file in the message.
 * @throws {Error} what the file system or JSON has against it. JSON's own message shows some of the text, which may be anything.
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
