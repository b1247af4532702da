import { StorageError, ValidationError } from "@perdura/internals/errors/errors.js";
import { expect, test } from "vitest";
import { stopOf } from "../src/core/stop.ts";

test("a report about a path gets the reason alone, and the whole message of an error about anything else", () => {
  const about = (path: string): string => stopOf(new StorageError("reading failed.", { path }), "/a/m.db").message;
  expect(about("/a/m.db")).toBe("reading failed.");
  expect(about("/a/m.db.v15.bak")).toBe("/a/m.db.v15.bak: reading failed.");
  const ofArgument = new ValidationError("expected a file.", { argument: "to", path: "/a/m.db" });
  expect(stopOf(ofArgument, "/a/m.db").message).toBe("to: expected a file.");
});

test("what others say gets its full stop", () => {
  expect(stopOf(new Error("disk I/O error"), "/a/m.db")).toMatchObject({
    status: "failed",
    message: "disk I/O error.",
  });
  expect(stopOf("why?", "/a/m.db").message).toBe("why?");
});
