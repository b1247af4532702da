/** False for text that PostgreSQL cannot store, so that no user has it. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0");
