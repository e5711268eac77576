import type { ModelFault, ModelScript, ModelTurn } from "../model/agent/model-script.ts";
import type { Conversation } from "./vendor.ts";

/** Where a conversation stands in its script. */
export interface Place {
  /** The mark of its session; empty for none. */
  readonly session: string;
  /** How often the model has answered so far. */
  readonly position: number;
  readonly turn: ModelTurn;
}

/** Said for ever once a script is over, so that an agent comes to its end. */
const AFTER_THE_LAST: ModelTurn = {
  say: "Everything is done.",
  acts: [],
  delayMs: 0,
  repeat: "forever",
  faults: [],
};

const MARK = /\[session[: ]([A-Za-z0-9._-]{1,64})\]/;

/** The conversation itself says what comes next, so that it may be resumed by anyone at any time. */
export function placeOf(script: ModelScript, talk: Conversation, markInPath: string): Place {
  const session = markInPath !== "" ? markInPath : (MARK.exec(talk.heard)?.[1] ?? "");
  const own = Object.hasOwn(script.sessions, session) ? script.sessions[session] : undefined;
  return { session, position: talk.answers, turn: turnAt(own ?? script.turns, talk.answers) };
}

function turnAt(turns: readonly ModelTurn[], position: number): ModelTurn {
  let left = position;
  for (const turn of turns) {
    if (turn.repeat === "forever" || left < Number(turn.repeat)) return turn;
    left -= Number(turn.repeat);
  }
  return AFTER_THE_LAST;
}

/** The fault that hits the request, `earlier` requests of the same place having come before it. */
export function faultFor({ faults }: ModelTurn, earlier: number): ModelFault | undefined {
  let left = earlier;
  for (const fault of faults) {
    if (fault.times === "always" || left < Number(fault.times)) return fault;
    left -= Number(fault.times);
  }
  return undefined;
}

/**
 * Beside the conversation agents ask for titles, summaries and verdicts. Such a request offers no tools; it is answered
 * shortly and takes no part in the script, unless the script itself needs no tools and so may be meant for it.
 */
export function isAside(script: ModelScript, { tools, system, wants }: Conversation): boolean {
  if (tools.length > 0) return false;
  if (wants !== undefined || /\btitle\b/i.test(system)) return true;
  return [script.turns, ...Object.values(script.sessions)].flat().some(({ acts }) => acts.length > 0);
}
