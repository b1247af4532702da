import { once } from "node:events";
import { expect, test } from "vitest";
import { Store } from "../../src/gcs/store.ts";

test("bytes that arrive while a server stops cause no error", async () => {
  const store = await Store.create([{ name: "kept" }]);
  const { stream } = store.newFile();
  store.dispose();
  stream.end("bytes");
  await once(stream, "close");
  expect(stream.errored).toBeNull();
});
