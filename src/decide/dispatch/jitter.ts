/** Full jitter, drawn from a text: the same facts give the same wait, different runs different ones. */
export const jittered = (ceilingMs: number, seed: string): number => Math.round(ceilingMs * fraction(seed));

/** FNV-1a over the text, as a number in [0, 1). */
function fraction(seed: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < seed.length; index += 1)
    hash = Math.imul(hash ^ seed.charCodeAt(index), 0x01000193) >>> 0;
  return hash / 2 ** 32;
}
