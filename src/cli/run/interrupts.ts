const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export type Interrupt = (typeof SIGNALS)[number];

/** Receives the signals by which people and machines ask a process to end, until the returned function is called. */
export function onInterrupt(handle: (signal: Interrupt) => void): () => void {
  const listener = (signal: NodeJS.Signals): void => {
    const known = SIGNALS.find((name) => name === signal);
    if (known !== undefined) handle(known);
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
}
