/** Cases that kill no mutant of their own, and why they stay. */
export const JUSTIFIED: Readonly<Record<string, string>> = {};
