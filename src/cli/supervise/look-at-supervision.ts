import type { Reader } from "../../open-reader.ts";
import type { RunState } from "../../model/state/run-state.ts";
import { statusView, type StatusView } from "../../views/status/status.ts";
import { withSupervision, type Looked } from "../../views/status/supervision.ts";

/** One look at the store, by which any of its runs can be shown with who supervises it. */
export async function lookAtSupervision(
  system: Pick<Reader, "supervision"> & { readonly ports: Pick<Reader["ports"], "settings"> },
  store: string | null,
  now = Date.now(),
): Promise<(run: string) => Looked> {
  const seenOf = await system.supervision();
  const { stayForMs } = system.ports.settings.supervisor;
  return (run) => ({ seen: seenOf(run), now, stayForMs, store });
}

/** The status of a run as people are shown it. */
export async function supervisedStatus(
  system: Reader,
  state: RunState,
  store: string | null,
): Promise<StatusView> {
  const looked = (await lookAtSupervision(system, store))(state.run);
  const view = withSupervision(statusView(state, store, looked.now), state, looked);
  const isHere = view.owner?.host === system.ports.world.self.host;
  return isHere ? { ...view, awake: system.awakeOf(view.owner.pid) } : view;
}
