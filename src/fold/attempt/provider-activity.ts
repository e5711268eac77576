import type { Signal } from "../../model/agent/signals.ts";

/** Whether a signal shows that a provider answers. That a program has begun, or that it speaks at all, does not. */
export const isProviderActivity = ({ kind }: Signal): boolean =>
  kind !== "ready" && kind !== "conversation" && kind !== "unknown" && kind !== "exit";
