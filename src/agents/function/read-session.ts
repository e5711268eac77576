import type { Listening } from "../listening.ts";
import type { FunctionSession } from "./function-session.ts";

const BATCH_SIGNALS_MAX = 200;

/** A session that is not of this process died with its own, and left no word about how. */
export async function readSession(
  session: FunctionSession | undefined,
  cursor: string,
  listening: Listening,
): Promise<void> {
  if (session === undefined) {
    await listening.hear({ signals: [{ kind: "exit", how: "vanished" }], cursor });
    return;
  }
  const { log, entry } = session;
  listening.onClose(() => {
    log.wake();
  });
  let position = positionIn(entry, cursor);
  while (!listening.closed()) {
    const batch = log.read(position, BATCH_SIGNALS_MAX);
    const exit = session.isOver() && batch.signals.length === 0 ? log.last() : undefined;
    const signals = exit === undefined ? batch.signals : [exit];
    if (signals.length === 0) {
      await log.more(position);
      continue;
    }
    position = batch.next;
    if (!(await listening.hear({ signals, cursor: `${entry}:${String(position)}` }))) return;
    log.heard(position);
    if (signals.at(-1)?.kind === "exit") return;
  }
}

function positionIn(entry: string, cursor: string): number {
  const [of, position] = cursor.split(":");
  return of === entry ? Number(position) : 0;
}
