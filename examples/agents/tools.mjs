// Two tools of an agent: one works, the other fails.

export const search = async ({ city }) => `3 hotels in ${city}`;

export const book = async ({ city }) => {
  throw new RangeError(`no room left in ${city}`);
};
