/** What an agent may die with, other than by itself. */
export const DIED_WITH = ["machine", "container", "supervisor", "disk"] as const;
export type DiedWith = (typeof DIED_WITH)[number];
