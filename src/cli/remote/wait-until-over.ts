import { onInterrupt } from "../run/interrupts.ts";
import { EXIT } from "../shell/define-command.ts";
import type { Plan, Remote } from "./remote.ts";
import { persistently, RemoteNews } from "./remote-news.ts";

interface Waited<View> {
  /** Whose news make it worth another look. */
  readonly address: string;
  readonly shown: Plan;
  /** The exit code once nothing more is waited for; null before. */
  readonly exitOf: (view: View) => number | null;
}

/** Looks after each news until it is over, and shows it then. Ending this command does not affect what it waits for. */
export async function waitUntilOver<View>(
  remote: Remote,
  { address, shown, exitOf }: Waited<View>,
): Promise<number> {
  const over = new AbortController();
  const quiet = onInterrupt(() => over.abort());
  const news = new RemoteNews(remote, address);
  try {
    for (;;) {
      const view = await persistently(remote, over.signal, () => remote.ask<View>(shown));
      const code = over.signal.aborted ? EXIT.interrupted : exitOf(view);
      if (code !== null) {
        await remote.show(shown);
        return code;
      }
      await news.next(over.signal);
    }
  } finally {
    quiet();
    news.close();
  }
}
