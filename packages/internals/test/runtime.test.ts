import { expect, test } from "vitest";
import { assertNodeItself, assertSupportedNode } from "../src/runtime/node_version.ts";

test.each(["18.0.0", "20.20.2", "22.9.0", "22.12.0", "22.13.1", "9.99.99"])(
  "opening a database refuses Node.js %s",
  (version) => {
    expect(() => assertSupportedNode(version)).toThrow(
      expect.objectContaining({
        code: "PERDURA_UNSUPPORTED_RUNTIME",
        message: `perdura needs Node.js 22.14.0 or newer; this is Node.js ${version}.`,
      }),
    );
  },
);

test.each(["22.14.0", "22.14.1", "22.23.3", "23.0.0", "24.21.0", "26.10.0", "100.1.1"])(
  "accepts Node.js %s",
  (version) => {
    expect(() => assertSupportedNode(version)).not.toThrow();
  },
);

test.each([
  ["Bun 1.4.5", { bun: "1.4.5" }],
  ["Deno 2.9.6", { deno: "2.9.6" }],
])("calls that start child processes refuse %s", (name, others) => {
  expect(() => assertNodeItself({ ...process.versions, ...others })).toThrow(
    expect.objectContaining({
      code: "PERDURA_UNSUPPORTED_RUNTIME",
      message: `this call needs Node.js 22.14.0 or newer; this is ${name}. Nothing was changed.`,
    }),
  );
  expect(() => assertNodeItself()).not.toThrow();
});

test("checks the running Node.js by default", () => {
  expect(() => assertSupportedNode()).not.toThrow();
});
