/**
 * What a handler needs so that a write under an Idempotency-Key is done once, however often it is begun: a server may be
 * killed between any two of its instructions, and the next one is asked the same.
 */
export interface Once {
  /** The id under which requests are kept; null where the one who asks has named none. */
  readonly key: string | null;
  /** It was begun before, and how far it came is not known. */
  readonly isRepeated: boolean;
  /** Decided before anything is done, and on disk (I2): begun again, it is as it was decided first. */
  plan<T>(name: string, make: () => T | Promise<T>): Promise<T>;
  /** A secret that is the same when it is made again, and is kept nowhere; null without a key. */
  secret(name: string): string | null;
  /** One of several requests that are made of this one. */
  part(name: string): Once;
}

/** Without a key nothing is remembered: asked again, it is another request. */
export const justOnce: Once = {
  key: null,
  isRepeated: false,
  plan: async (_, make) => make(),
  secret: () => null,
  part: () => justOnce,
};
