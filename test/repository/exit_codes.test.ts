import { EXIT, exitCodeOfError } from "@perdura/cli/exit_codes.js";
import { ERROR_CODES } from "@perdura/v16";
import { expect, test } from "vitest";

test("every error of the libraries has its exit code", () => {
  // The kit imports no library, so its table names their codes.
  expect(Object.fromEntries(Object.keys(ERROR_CODES).map((code) => [code, exitCodeOfError({ code })]))).toEqual({
    PERDURA_FILE_NOT_FOUND: EXIT.usage,
    PERDURA_JSON_DECODE: EXIT.failed,
    PERDURA_VALIDATION: EXIT.usage,
    PERDURA_CORRUPT_DATA: EXIT.failed,
    PERDURA_UNSUPPORTED_FORMAT: EXIT.failed,
    PERDURA_BUSY: EXIT.busy,
    PERDURA_STORAGE: EXIT.failed,
    PERDURA_CLOSED: EXIT.failed,
    PERDURA_MISSING_PACKAGE: EXIT.failed,
    PERDURA_UNSUPPORTED_RUNTIME: EXIT.usage,
  });
});
