import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { BlobServiceClient } from "@azure/storage-blob";
import { describe, expect, test } from "vitest";
import { startAzurite } from "../../src/azurite/azurite.ts";
import { runs, untilGone } from "../../src/processes/process_tree.ts";

describe("Azurite", () => {
  test("stores large blobs, accepts only its own account, and ends when it is stopped", async () => {
    const azurite = await startAzurite();
    const container = await newContainer(azurite.connectionString);
    const blob = container.getBlockBlobClient("large");
    const part = Buffer.alloc(40 * 1024 * 1024, 1);
    const ids = ["a", "b", "c", "d", "e"].map((id) => Buffer.from(id).toString("base64"));
    for (const id of ids) await blob.stageBlock(id, part, part.length);
    await blob.commitBlockList(ids);
    expect((await blob.getProperties()).contentLength).toBe(200 * 1024 * 1024);

    const stranger = await startAzurite();
    const wrong = azurite.connectionString.replace(azurite.key, stranger.key);
    await expect(newContainer(wrong)).rejects.toMatchObject({ statusCode: 403, code: "AuthorizationFailure" });
    expect(stranger.connectionString).not.toContain(azurite.account);

    for (const server of [azurite, stranger]) {
      expect(runs(server.pid)).toBe(true);
      await server.stop();
      await untilGone([server.pid]);
      await server.stop();
    }
  });

  test.each(["SIGKILL", "SIGTERM"] as const)("ends when the process that started it is killed (%s)", async (signal) => {
    const program = fileURLToPath(new URL("../programs/hold_azurite.ts", import.meta.url));
    const holder = spawn(process.execPath, ["--no-warnings", program], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(createInterface({ input: holder.stdout }), "line")) as [string];
    const pid = Number(line);
    expect(runs(pid)).toBe(true);
    holder.kill(signal);
    await once(holder, "exit");
    await untilGone([pid]);
  });
});

async function newContainer(connectionString: string) {
  const service = BlobServiceClient.fromConnectionString(connectionString, { retryOptions: { maxTries: 1 } });
  const container = service.getContainerClient("kept");
  await container.create();
  return container;
}
