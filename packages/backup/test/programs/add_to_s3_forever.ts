import { openS3Store } from "../../src/stores/s3/s3_store.ts";

// Adds an object whose last part never arrives; prints a line when the others have arrived.
const MIB = 2 ** 20;
const store = await openS3Store(process.argv[2] ?? "", { tries: 1, timeoutMs: 60_000, partSize: 5 * MIB });
let sent = 0;
await store.add({
  key: "k",
  size: 16 * MIB,
  contentType: "application/octet-stream",
  metadata: { upload: "of a killed process" },
  read: async (start, length) => {
    if (start < 15 * MIB) return Buffer.alloc(length);
    return new Promise(() => setInterval(() => {}, 1000));
  },
  sent: () => {
    sent += 1;
    if (sent === 3) process.stdout.write("sent\n");
  },
});
