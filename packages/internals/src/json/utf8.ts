/** Index of the first malformed UTF-8 sequence. */
export function firstInvalidByte(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    // `stream` lets a prefix end inside a character, so that "valid so far" is monotonic.
    if (decodes(bytes.subarray(0, middle), { stream: true })) low = middle;
    else high = middle - 1;
  }
  // The prefix may end inside the malformed sequence, which has at most three bytes.
  while (!decodes(bytes.subarray(0, low), { stream: false })) low -= 1;
  return low;
}

function decodes(prefix: Uint8Array, options: { stream: boolean }): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(prefix, options);
    return true;
  } catch {
    return false;
  }
}
