import { createHash } from "node:crypto";
import { isSpoiltFault, type SpoiltKind } from "./deliver.ts";
import { exampleOf, mapAct } from "./map-act.ts";
import type { Answer, Conversation, ToolCall } from "./vendor.ts";
import type { ModelFault, ModelScript, ModelTurn } from "../model/agent/model-script.ts";

export interface Asked {
  readonly talk: Conversation;
  readonly place: Place;
  /** Requests of the same place before this one. */
  readonly earlier: number;
  readonly fault: ModelFault | undefined;
  readonly requestChars: number;
}

export type Composed = { readonly answer: Answer } | { readonly unmapped: string };

/** The answer that the script wants here, spoiled where a fault of the model itself says so. */
export function composeAnswer(asked: Asked): Composed {
  const { talk, place, earlier, fault } = asked;
  const { turn } = place;
  const calls: ToolCall[] = [];
  for (const [at, act] of turn.acts.entries()) {
    const mapped = mapAct(act, talk);
    if ("unmapped" in mapped) return mapped;
    calls.push({ id: idOf(place, `call ${String(at)}`), ...mapped });
  }
  const said: Said = { say: turn.say ?? "", calls, stop: "end" };
  const spoilt = isSpoiltFault(fault) ? SPOIL[fault.kind](said, talk.tools[0]?.name) : said;
  return {
    answer: {
      id: idOf(place, `answer ${String(earlier)}`),
      model: talk.model,
      ...spoilt,
      usage: turn.usage ?? estimate(asked.requestChars, spoilt),
    },
  };
}

/** A short answer to a request beside the conversation. */
export function composeAside({ model, wants }: Conversation, requestChars: number): Answer {
  const say = wants === undefined ? "Scripted work" : JSON.stringify(exampleOf(wants));
  const said = { say, calls: [], stop: "end" } as const;
  return { id: digest(`aside ${say}`), model, ...said, usage: estimate(requestChars, said) };
}

type Said = Pick<Answer, "say" | "calls" | "stop">;

/** How each fault of the model itself spoils what it was to say. */
const SPOIL: Readonly<Record<SpoiltKind, (said: Said, tool: string | undefined) => Said>> = {
  empty: () => ({ say: "", calls: [], stop: "end" }),
  refusal: () => ({ say: "I can't help with that.", calls: [], stop: "refusal" }),
  max_tokens: ({ say }) => ({
    say: say === "" ? "This is the beginning of a long" : say,
    calls: [],
    stop: "length",
  }),
  unknown_tool: (said, tool) => ({
    ...said,
    calls: callsOr(said, tool).map((call) => ({ ...call, name: "no_such_tool" })),
  }),
  bad_arguments: (said, tool) => ({
    ...said,
    calls: callsOr(said, tool).map((call) => ({ ...call, input: { arguments: { unheard_of: 1 } } })),
  }),
};

/** A turn without acts has no call to spoil, so it gets one. */
const callsOr = ({ calls, say }: Said, tool = "tool"): readonly ToolCall[] =>
  calls.length > 0 ? calls : [{ id: digest(`spoilt ${say}`), name: tool, input: { arguments: {} } }];

/** The same for the same place, however often it is asked: an agent that asks again gets the same calls. */
const idOf = ({ session, position }: Place, what: string): string =>
  digest(`${session} ${String(position)} ${what}`);

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 20);

const CHARS_PER_TOKEN = 4;

export const tokensOf = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN);

const estimate = (requestChars: number, { say, calls }: Said): Answer["usage"] => ({
  input: tokensOf(requestChars),
  output: tokensOf(say.length + JSON.stringify(calls).length),
  cachedInput: 0,
});

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
  const session = markInPath !== "" ? markInPath : (MARK.exec(talk.received)?.[1] ?? "");
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
