/** Asks until there is an answer, and gives that one from then on. */
export function remembered<Value>(ask: () => Value | undefined): () => Value | undefined {
  let known: Value | undefined;
  return () => (known ??= ask());
}
