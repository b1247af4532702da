import { expect, test } from "vitest";
import {
  BusyError,
  ClosedError,
  CorruptDataError,
  type ErrorDetails,
  FileNotFoundError,
  isPerduraError,
  JSONDecodeError,
  MissingPackageError,
  PerduraError,
  StorageError,
  UnsupportedFormatError,
  UnsupportedRuntimeError,
  ValidationError,
} from "../src/errors/errors.ts";

const EVERY_ERROR: [name: string, code: string, make: (details?: ErrorDetails) => PerduraError][] = [
  ["FileNotFoundError", "PERDURA_FILE_NOT_FOUND", (details) => new FileNotFoundError("m", details)],
  ["JSONDecodeError", "PERDURA_JSON_DECODE", (details) => new JSONDecodeError("m", { line: 2, column: 3 }, details)],
  ["ValidationError", "PERDURA_VALIDATION", (details) => new ValidationError("m", details)],
  ["CorruptDataError", "PERDURA_CORRUPT_DATA", (details) => new CorruptDataError("m", details)],
  ["UnsupportedFormatError", "PERDURA_UNSUPPORTED_FORMAT", (details) => new UnsupportedFormatError("m", details)],
  ["BusyError", "PERDURA_BUSY", (details) => new BusyError("m", details)],
  ["StorageError", "PERDURA_STORAGE", (details) => new StorageError("m", details)],
  ["ClosedError", "PERDURA_CLOSED", (details) => new ClosedError("m", details)],
  ["MissingPackageError", "PERDURA_MISSING_PACKAGE", (details) => new MissingPackageError("m", details)],
  ["UnsupportedRuntimeError", "PERDURA_UNSUPPORTED_RUNTIME", (details) => new UnsupportedRuntimeError("m", details)],
];

test.each(EVERY_ERROR)("%s has its name, its code %s and the given details", (name, code, make) => {
  const cause = new Error("the reason");
  const error = make({ path: "/a/b", cause });
  expect(error).toBeInstanceOf(PerduraError);
  const message = name === "JSONDecodeError" ? "/a/b:2:3: m" : "/a/b: m";
  expect(error).toMatchObject({ name, code, message, reason: "m", path: "/a/b", argument: undefined, cause });
  expect(isPerduraError(error)).toBe(true);
  expect(isPerduraError(error, code as never)).toBe(true);
  expect(isPerduraError(error, "PERDURA_OTHER" as never)).toBe(false);
});

test("a message begins with the subject, the argument or the path, in that order of preference", () => {
  const messageOf = (details: ErrorDetails): string => new ValidationError("wrong.", details).message;
  expect(messageOf({})).toBe("wrong.");
  expect(messageOf({ path: "/a" })).toBe("/a: wrong.");
  expect(messageOf({ path: "/a", argument: "to" })).toBe("to: wrong.");
  expect(messageOf({ path: "/a", argument: "to", subject: "the file" })).toBe("the file: wrong.");
  expect(new JSONDecodeError("wrong.", { line: 2, column: 3 }).message).toBe("2:3: wrong.");
  const hostile = new ValidationError("\u001b[2J", { argument: "\u0007", path: "/a" });
  expect(hostile).toMatchObject({
    message: "\\u0007: \\u001b[2J",
    reason: "\\u001b[2J",
    argument: "\u0007",
    path: "/a",
  });
});

test("mayBeWritten is taken from the error or from its cause, and is false by default", () => {
  const uncertain = new StorageError("m", { mayBeWritten: true });
  expect(uncertain.mayBeWritten).toBe(true);
  expect(new StorageError("m", { cause: uncertain }).mayBeWritten).toBe(true);
  expect(new StorageError("m", { cause: uncertain, mayBeWritten: false }).mayBeWritten).toBe(false);
  for (const cause of [undefined, null, new Error("m"), { mayBeWritten: true }, new StorageError("m")])
    expect(new StorageError("m", { cause }).mayBeWritten).toBe(false);
});

test("an error without a cause does not have the property, which reporters would print", () => {
  expect(Object.hasOwn(new StorageError("m"), "cause")).toBe(false);
});

test("the mark that identifies errors across copies of the library is not enumerable", () => {
  const error = new BusyError("m");
  const mark = Symbol.for("perdura.error");
  expect(Object.getOwnPropertyDescriptor(error, mark)).toMatchObject({ value: true, enumerable: false });
  expect(isPerduraError({ [mark]: true, code: "PERDURA_BUSY" }, "PERDURA_BUSY")).toBe(true);
});

test.each([undefined, null, "PERDURA_BUSY", 5, {}, new Error("m"), { code: "PERDURA_BUSY" }])(
  "isPerduraError is false for %o",
  (value) => {
    expect(isPerduraError(value)).toBe(false);
    expect(isPerduraError(value, "PERDURA_BUSY")).toBe(false);
  },
);
