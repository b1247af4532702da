import { randomBytes } from "node:crypto";
import { HAS_PROXY, startAzure } from "../stores/azure/azure_for_tests.ts";
import { backupSuite } from "./backup_suite.ts";

backupSuite("a container of Azure Blob Storage", { wrong: true, proxy: HAS_PROXY }, async () => {
  const azure = await startAzure();
  const { connectionString, container, prefix, proxy } = azure;
  const secret = randomBytes(64).toString("base64");
  const wrong = connectionString.replace(/AccountKey=[^;]+/, `AccountKey=${secret}`);
  return {
    address: `az://${container.containerName}/${prefix}`,
    missing: `az://missing-container/${prefix}`,
    environment: { AZURE_STORAGE_CONNECTION_STRING: connectionString },
    wrong: { secret, environment: { AZURE_STORAGE_CONNECTION_STRING: wrong } },
    ...(HAS_PROXY && { proxy }),
    stop: () => azure.stop(),
  };
});
