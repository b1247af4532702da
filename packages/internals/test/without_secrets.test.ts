import { expect, test } from "vitest";
import { withoutSecrets } from "../src/terminal/without_secrets.ts";

test.each([
  ["s3://AKIA1:ab/cd+e=@bucket/agents: no", "s3://…@bucket/agents: no"],
  ["https://me@host/x", "https://…@host/x"],
  ["postgres://alice@db:5432/agents: no", "postgres://alice@db:5432/agents: no"],
  ["postgresql://alice:@db/agents", "postgresql://…@db/agents"],
  ["postgres://alice:a@b@db/agents", "postgres://…@db/agents"],
  ["postgres://app:Ab1@Secret/xyz99@db.internal/agents: no", "postgres://…@db.internal/agents: no"],
  ["postgres://app@corp:Ab1@db/agents", "postgres://…@db/agents"],
  ["postgres://alice%3Ahunter2@db/agents", "postgres://…@db/agents"],
  ['got "az://c/p?sv=1&sig=a%2Fb%3D&se=2"', 'got "az://c/p?sv=1&sig=…&se=2"'],
  ["gs://b/o?X-Goog-Credential=a&X-Goog-Signature=b", "gs://b/o?X-Goog-Credential=…&X-Goog-Signature=…"],
  ["AccountName=a;AccountKey=c2Vj==;EndpointSuffix=x", "AccountName=a;AccountKey=…;EndpointSuffix=x"],
  ["AccountKey=c2Vj==", "AccountKey=…"],
  ["SharedAccessSignature=sv=1&sig=b", "SharedAccessSignature=…&sig=…"],
  ["s3://bucket/me@home/a:b@c", "s3://bucket/me@home/a:b@c"],
])("%s", (text, shown) => {
  expect(withoutSecrets(text)).toBe(shown);
});
