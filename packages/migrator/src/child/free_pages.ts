import { readAt } from "./blocks.ts";
import type { DatabaseHeader } from "./database_header.ts";
import { PageSet } from "./page_set.ts";

/**
 * The pages of a database that hold nothing: the trunks of the free list and the leaves that they name (SQLite file
 * format, section 1.5).
 *
 * @param pages How many pages the file has.
 * @returns Undefined where the list is not as it has to be.
 */
export function freePages(
  descriptor: number,
  { pageSize, firstTrunk, freePages: expected }: DatabaseHeader,
  pages: number,
): PageSet | undefined {
  const free = new PageSet(pages);
  const trunk = Buffer.alloc(pageSize);
  for (let page = firstTrunk; page !== 0; page = trunk.readUInt32BE(0)) {
    if (!free.add(page) || readAt(descriptor, trunk, (page - 1) * pageSize) < pageSize) return undefined;
    const leaves = trunk.readUInt32BE(4);
    if (leaves > pageSize / 4 - 2) return undefined;
    for (let leaf = 0; leaf < leaves; leaf += 1) if (!free.add(trunk.readUInt32BE(8 + leaf * 4))) return undefined;
  }
  return free.size === expected && !free.has(1) ? free : undefined;
}
