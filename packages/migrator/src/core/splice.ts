/** A range of bytes. */
export interface Range {
  start: number;
  /** Offset after the last byte. */
  end: number;
}

/** Ranges in the order of their places, such as an array of them. */
export interface Ranges {
  readonly length: number;
  at(index: number): Range | undefined;
}

/** A range of bytes, and the text that replaces it. An empty range inserts. */
export interface Edit extends Range {
  text: string;
}

/** The edits in the order of their places, which must not overlap. */
export function inOrder(edits: readonly Edit[]): Edit[] {
  const sorted = edits.toSorted((left, right) => left.start - right.start || left.end - right.end);
  for (const [index, { start }] of sorted.entries())
    if (start < (sorted[index - 1]?.end ?? 0)) throw new Error("Two repairs concern the same bytes.");
  return sorted;
}

/** The bytes with all edits, which must not overlap; all other bytes are unchanged. */
export function spliced(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of inOrder(edits)) {
    pieces.push(bytes.subarray(at, start), Buffer.from(text));
    at = end;
  }
  pieces.push(bytes.subarray(at));
  return Buffer.concat(pieces);
}

/** Removes entries of an array or an object, each with one comma. */
export function removals(entries: Ranges, isRemoved: (index: number) => boolean): Edit[] {
  const edits: Edit[] = [];
  let isLeading = true;
  for (let index = 0; index < entries.length; index += 1) {
    if (!isRemoved(index)) {
      isLeading = false;
      continue;
    }
    const entry = entries.at(index) as Range;
    const start = isLeading || index === 0 ? entry.start : (entries.at(index - 1) as Range).end;
    const end = isLeading ? (entries.at(index + 1)?.start ?? entry.end) : entry.end;
    edits.push({ start, end, text: "" });
  }
  return edits;
}
