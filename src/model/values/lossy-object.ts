const LOSSY: readonly string[] = [
  "Map",
  "Set",
  "WeakMap",
  "WeakSet",
  "Error",
  "Promise",
  "RegExp",
  "ArrayBuffer",
  "SharedArrayBuffer",
].map((name) => `[object ${name}]`);

export const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Whether what an object holds is not in its members, so that JSON would lose it in silence; bytes also have `toJSON`. */
export const isLossy = (value: object): boolean =>
  ArrayBuffer.isView(value) || (!isPlain(value) && LOSSY.includes(Object.prototype.toString.call(value)));

/** A member that no text names, and that JSON would leave out. */
export function symbolKeyOf(value: object): symbol | undefined {
  const symbols = Object.getOwnPropertySymbols(value);
  return symbols.length === 0
    ? undefined
    : symbols.find((symbol) => Object.prototype.propertyIsEnumerable.call(value, symbol));
}
