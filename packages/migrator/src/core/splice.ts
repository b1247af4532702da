/** A range of bytes. */
export interface Range {
  start: number;
  /** Offset after the last byte. */
  end: number;
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
export function removals(entries: readonly Range[], isRemoved: (index: number) => boolean): Edit[] {
  const firstKept = entries.findIndex((_, index) => !isRemoved(index));
  return entries.flatMap((entry, index): Edit[] => {
    if (!isRemoved(index)) return [];
    const next = entries[index + 1];
    const before = entries[index - 1];
    const isLeading = firstKept === -1 || index < firstKept;
    const start = isLeading || before === undefined ? entry.start : before.end;
    return [{ start, end: isLeading ? (next?.start ?? entry.end) : entry.end, text: "" }];
  });
}
