import { JSONDecodeError, ValidationError } from "../errors/errors.ts";
import { ByteWindow, MAX_PIECE, NotUtf8Fault, PieceTooLongFault, type ReadBytes } from "./byte_window.ts";
import { positionInDocument } from "./document_position.ts";
import { type DocumentReceiver, DocumentSyntaxFault, readDocument } from "./read_document.ts";

/**
 * Bytes of a document that are in memory at a time. Larger pieces are slower, because they do not fit into the
 * processor's caches.
 */
const PIECE = 1 << 16;

/**
 * Reads a JSON document of any size in pieces and passes its content to the receiver. After an error, the content that
 * was received so far must not be used. See {@link decodeJson} for byte order marks and numbers.
 *
 * @param path Path of the document, for errors.
 * @throws JSONDecodeError with line and column in the whole document, for text that is not UTF-8 or not JSON.
 * @throws ValidationError if one value is longer than a string can be.
 */
export function decodeDocument(read: ReadBytes, path: string, receiver: DocumentReceiver, piece: number = PIECE): void {
  try {
    readDocument(new ByteWindow(read, piece), receiver);
  } catch (fault) {
    if (fault instanceof PieceTooLongFault) {
      throw new ValidationError(
        `the value at byte ${fault.offset} is too long: JSON values of more than ${MAX_PIECE} bytes cannot be read.`,
        { path },
      );
    }
    if (!(fault instanceof NotUtf8Fault || fault instanceof DocumentSyntaxFault)) throw fault;
    const position = positionInDocument(read, fault.offset);
    throw new JSONDecodeError(`not valid JSON: ${fault.message}.`, position, {
      path,
      cause: fault instanceof DocumentSyntaxFault ? fault.cause : undefined,
    });
  }
}
