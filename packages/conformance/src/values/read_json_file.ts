import { readFileSync } from "node:fs";
import { escapeControls } from "./escape.ts";
import { parseJson } from "./parse_json.ts";

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
