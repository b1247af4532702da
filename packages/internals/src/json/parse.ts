import { holdsInexactNumber } from "./exact_numbers.ts";
import { StrictParser } from "./strict_parser.ts";

/**
 * Reads JSON text. `JSON.parse` does it wherever it is right; two kinds of text go to the strict reader:
 *
 * - a number that a double would change is kept as a raw JSON number;
 * - a key written with an escape: V8 13 and newer (Node 24 and 26) compare such a key undecoded with the key that they
 *   expect, so once any object of the process had the key `\\`, `{"a":0,"\\n":0}` may be read as `{"a":0,"\\\\":0}`.
 *
 * @throws JsonSyntaxFault with the offset of the first place that is not JSON.
 */
export function parseJson(text: string): unknown {
  if (!needsStrictReader(text)) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      // The strict reader finds the same fault and knows where it is.
    }
  }
  return new StrictParser(text).parse();
}

/** Tells whether a text may be one of the two kinds. Of text that is not JSON it may say either. */
export function needsStrictReader(text: string): boolean {
  return hasEscapedKey(text) || holdsInexactNumber(text);
}

const COLON = /[ \t\n\r]*:/y;

/** Tells whether a string with an escape stands before a colon. Of text that is not JSON it may say either. */
function hasEscapedKey(text: string): boolean {
  let escape = text.indexOf("\\");
  for (let open = text.indexOf('"'); open !== -1 && escape !== -1;) {
    let close = text.indexOf('"', open + 1);
    while (escape !== -1 && escape < open) escape = text.indexOf("\\", open);
    const start = escape;
    // A quotation mark after a backslash is part of the string.
    while (close !== -1 && escape !== -1 && escape < close) {
      if (escape + 1 === close) close = text.indexOf('"', escape + 2);
      escape = text.indexOf("\\", escape + 2);
    }
    if (close === -1) return false;
    COLON.lastIndex = close + 1;
    if (start !== -1 && start < close && COLON.test(text)) return true;
    open = text.indexOf('"', close + 1);
  }
  return false;
}
