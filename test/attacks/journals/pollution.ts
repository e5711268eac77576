const membersNow = (): string =>
  JSON.stringify(
    [Object.prototype, Array.prototype, Function.prototype].map((one) => Reflect.ownKeys(one).map(String)),
  );

const PLAIN = membersNow();

/** What an object that nobody touched has now and had not before. */
export function pollution(): string | null {
  const fresh = {} as Record<string, unknown>;
  if (fresh["polluted"] !== undefined || ([] as unknown as typeof fresh)["polluted"] !== undefined)
    return "polluted";
  return membersNow() === PLAIN ? null : "a prototype has other members";
}
