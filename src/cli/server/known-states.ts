import type { System } from "../../main.ts";
import type { RunState } from "../../model/state/run-state.ts";

const RUNS_MAX = 1_000;
const BYTES_MAX = 128 * 1024 * 1024;

interface Known {
  readonly hash: string;
  readonly state: RunState;
  readonly chars: number;
}

/**
 * Reads of a server: a run is folded again only after something was appended to it. The one that is given a state looks
 * at it and does not change it. The ones that nobody asked for longest are forgotten first.
 */
export function withKnownStates(system: System): System {
  const { journal } = system.ports;
  const known = new Map<string, Known>();
  let chars = 0;
  const forget = (run: string): void => {
    chars -= known.get(run)?.chars ?? 0;
    known.delete(run);
  };
  const loadRun = async (run: string): Promise<RunState | null> => {
    const head = await journal.head(run);
    const found = known.get(run);
    if (found !== undefined && head?.hash === found.hash && head.seq === found.state.seq) {
      known.delete(run);
      known.set(run, found);
      return found.state;
    }
    forget(run);
    const state = await system.loadRun(run);
    if (state === null || head?.seq !== state.seq) return state;
    const size = JSON.stringify(state).length;
    known.set(run, { hash: head.hash, state, chars: size });
    chars += size;
    for (const oldest of known.keys()) {
      if (known.size <= RUNS_MAX && chars <= BYTES_MAX) break;
      forget(oldest);
    }
    return state;
  };
  return { ...system, loadRun };
}
