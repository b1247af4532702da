import { readJsonText } from "./json_reader.ts";
import { NotJson } from "./json_tokens.ts";

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
