import { isUtf8 } from "node:buffer";
import { JSONDecodeError, ValidationError } from "../errors/errors.ts";
import { MAX_PIECE } from "./byte_window.ts";
import type { NonFinite } from "./load_options.ts";
import { parseJson } from "./parse.ts";
import { JsonSyntaxFault, positionOf, type TokenReading } from "./strict_parser.ts";
import { firstInvalidByte } from "./utf8.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads the bytes of a JSON file. A byte order mark at the beginning is skipped, as RFC 8259 allows. Numbers that a
 * double cannot represent are kept as raw JSON numbers.
 *
 * @param path Path of the file, for errors.
 * @param nonFinite See {@link parseJson}.
 * @throws JSONDecodeError with line and column for text that is not UTF-8 or not JSON, which includes the tokens `NaN`
 * and `Infinity`.
 */
export function decodeJson(bytes: Uint8Array, path: string, nonFinite?: NonFinite): unknown {
  return parseJsonText(decodeUtf8(bytes, path), () => path, nonFinite);
}

/** Reads JSON text; see {@link decodeJson}. `nameOf` is only called for an error. */
export function parseJsonText(text: string, nameOf: () => string, nonFinite?: TokenReading): unknown {
  try {
    return parseJson(text, nonFinite);
  } catch (cause) {
    if (!(cause instanceof JsonSyntaxFault)) throw cause;
    throw notJson(nameOf(), cause.message, positionOf(text, cause.offset), cause);
  }
}

function decodeUtf8(bytes: Uint8Array, path: string): string {
  if (!isUtf8(bytes)) throw notUtf8(bytes, path);
  if (bytes.length > MAX_PIECE) {
    throw new ValidationError(
      `the file has ${bytes.length} bytes; JSON values of more than ${MAX_PIECE} bytes cannot be read.`,
      { path },
    );
  }
  return utf8.decode(bytes);
}

function notUtf8(bytes: Uint8Array, path: string): JSONDecodeError {
  const offset = firstInvalidByte(bytes);
  const before = new TextDecoder().decode(bytes.subarray(0, offset));
  const what = `byte 0x${(bytes[offset] as number).toString(16)} is not UTF-8`;
  return notJson(path, what, positionOf(before, before.length), undefined);
}

function notJson(
  path: string,
  reason: string,
  position: { line: number; column: number },
  cause: unknown,
): JSONDecodeError {
  return new JSONDecodeError(`not valid JSON: ${reason}.`, position, { path, cause });
}
