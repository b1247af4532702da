import type { Answer } from "../answer.ts";
import { xmlAnswer } from "../answer.ts";
import type { BucketContext, Context } from "../context.ts";
import { document, element } from "../xml.ts";

const OWNER = element("Owner", [element("ID", "perdura"), element("DisplayName", "perdura")]);

export async function listBuckets({ state }: Context): Promise<Answer> {
  const buckets = [...state.buckets.values()]
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, created }) =>
      element("Bucket", [element("Name", name), element("CreationDate", created.toISOString())]),
    );
  return xmlAnswer(document("ListAllMyBucketsResult", [OWNER, element("Buckets", buckets)]));
}

/** The existence of the bucket was checked before. */
export async function headBucket(_context: BucketContext): Promise<Answer> {
  return { status: 200, headers: { "content-type": "application/xml" } };
}
