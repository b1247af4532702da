import { withoutSecrets } from "@perdura/internals/terminal/without_secrets.js";
import { expect, test } from "vitest";
import { runProgram } from "./program.ts";

test.each([
  ["s3://AKIA1:ab/cd+e=@bucket/agents: no", "s3://…@bucket/agents: no"],
  ["https://me@host/x", "https://…@host/x"],
  ['got "az://c/p?sv=1&sig=a%2Fb%3D&se=2"', 'got "az://c/p?sv=1&sig=…&se=2"'],
  ["gs://b/o?X-Goog-Credential=a&X-Goog-Signature=b", "gs://b/o?X-Goog-Credential=…&X-Goog-Signature=…"],
  ["AccountName=a;AccountKey=c2Vj==;EndpointSuffix=x", "AccountName=a;AccountKey=…;EndpointSuffix=x"],
  ["AccountKey=c2Vj==", "AccountKey=…"],
  ["SharedAccessSignature=sv=1&sig=b", "SharedAccessSignature=…&sig=…"],
  ["s3://bucket/me@home/a:b@c", "s3://bucket/me@home/a:b@c"],
])("%s", (text, shown) => {
  expect(withoutSecrets(text)).toBe(shown);
});

test("nor is the key of a connection string shown that was given as the address", () => {
  const address = "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=c2VjcmV0==;EndpointSuffix=core.windows.net";
  for (const words of [["list", address], ["push", address, "x"], [address], ["list", "file:///x", "n", address]]) {
    const { code, stderr } = runProgram(...words);
    expect(code).toBe(2);
    expect(stderr).not.toContain("c2Vj");
  }
});
