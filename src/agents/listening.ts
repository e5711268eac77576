import type { AgentDriver, Listener, SendOutcome, SignalBatch } from "./agent-driver.ts";

export interface Listening {
  closed(): boolean;
  /** Hands a batch over and answers whether to go on. */
  receive(batch: SignalBatch): Promise<boolean>;
  /** Calls back when the listener is closed, so that a wait can be cut short. */
  onClose(wake: () => void): void;
}

/** The readers of one driver. Closing the driver closes them all; what they read goes on without them. */
export interface Listeners {
  start(
    receive: (batch: SignalBatch) => Promise<void>,
    read: (listening: Listening) => Promise<void>,
  ): Listener;
  closeAll(): void;
}

/**
 * Runs each reader until it ends or is closed. A `receive` that rejects closes it: the one that rejected knows why, and
 * listens again from its own cursor. Any other failure of a reader is a broken promise of its driver and is not caught
 * here.
 */
export function createListeners(): Listeners {
  const open = new Set<() => void>();
  return {
    start: (receive, read) => {
      let closed = false;
      const wakers: (() => void)[] = [];
      const close = (): void => {
        closed = true;
        open.delete(close);
        for (const wake of wakers.splice(0)) wake();
      };
      const receiveOrClose = async (batch: SignalBatch): Promise<boolean> => {
        if (closed) return false;
        try {
          await receive(batch);
        } catch {
          close();
        }
        return !closed;
      };
      open.add(close);
      void read({
        closed: () => closed,
        receive: receiveOrClose,
        onClose: (wake) => wakers.push(wake),
      }).finally(close);
      return { close };
    },
    closeAll: () => {
      for (const close of [...open]) close();
    },
  };
}

const refused = (): Promise<SendOutcome> =>
  Promise.resolve({
    kind: "failed",
    terminal: true,
    text: "this kind of agent does not accept messages while it works",
  });

/** For agents that are given their task and nothing more. */
export const cannotReceive: Pick<AgentDriver, "send" | "answer" | "interrupt"> = {
  send: refused,
  answer: refused,
  interrupt: refused,
};
