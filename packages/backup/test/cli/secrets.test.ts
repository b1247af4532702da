import { expect, test } from "vitest";
import { runProgram } from "./run_program.ts";

test("does not show the key of a connection string given as the address", async () => {
  const address = "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=c2VjcmV0==;EndpointSuffix=core.windows.net";
  for (const words of [["list", address], ["push", address, "x"], [address], ["list", "file:///x", "n", address]]) {
    const { code, stderr } = await runProgram(...words);
    expect(code).toBe(2);
    expect(stderr).not.toContain("c2Vj");
  }
});
