import { createHash } from "node:crypto";
import type { ModelFault } from "../model/agent/model-script.ts";
import type { Place } from "./choose-turn.ts";
import { isSpoiltFault, type SpoiltKind } from "./fault-kinds.ts";
import { mapAct } from "./map-act.ts";
import { exampleOf } from "./schema-example.ts";
import type { Answer, Conversation, ToolCall } from "./vendor.ts";

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
