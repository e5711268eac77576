/**
 * Thrown by the short program where it comes upon what only the whole one can do, a value that does not fit its schema
 * for instance. Somebody may catch it on the way; that it was thrown is remembered, and what was found is not shown.
 */
export class Beyond extends Error {}

let isBeyond = false;

export function beyond(what: string): never {
  isBeyond = true;
  throw new Beyond(what);
}

export const wentBeyond = (): boolean => isBeyond;
