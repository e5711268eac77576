/** How work is recognised that only the user's own git can store, because one of its filters decides how. */
export const FILTERED = "a filter of your git decides how ";

export const needsFilter = (text: string | undefined): boolean => text?.includes(FILTERED) === true;
