import { randomBytes } from "node:crypto";
import type { Upload } from "../object_store.ts";
import type { GcsApi } from "./api.ts";
import { crc32c, crc32cText } from "./crc32c.ts";
import { RESOURCE_FIELDS, resourceOf } from "./object_resource.ts";
import { assertSame, IF_NONE, pieceOf } from "./sent_object.ts";
import type { Ending, TriesSoFar } from "./sent_object.ts";

/** Sends an object in one request: its metadata, the checksum among them, and its bytes. One try. */
export async function sendAtOnce(
  api: GcsApi,
  object: string,
  upload: Upload,
  tries: TriesSoFar,
  signal: AbortSignal | undefined,
): Promise<Ending> {
  const bytes = upload.size === 0 ? Buffer.alloc(0) : await pieceOf(upload, 0, Buffer.allocUnsafe(upload.size), api);
  tries.crc = crc32c(bytes);
  const { contentType, metadata } = upload;
  const boundary = `perdura-${randomBytes(18).toString("hex")}`;
  const resource = JSON.stringify({ name: object, contentType, metadata, crc32c: crc32cText(tries.crc) });
  const head =
    `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${resource}\r\n` +
    `--${boundary}\r\nContent-Type: ${contentType}\r\n\r\n`;
  const answer = await api.once(
    {
      method: "POST",
      isUpload: true,
      parameters: {
        uploadType: "multipart",
        ...IF_NONE,
        fields: RESOURCE_FIELDS,
      },
      headers: { "content-type": `multipart/related; boundary=${boundary}` },
      body: [Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--`)],
      expected: [200],
      taken: true,
    },
    signal,
  );
  if (answer.status === 412) return "taken";
  await assertSame(api, object, resourceOf(answer), upload.size, tries, signal);
  upload.sent?.(upload.size);
  return "added";
}
