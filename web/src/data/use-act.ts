import { useCallback, useState } from "react";
import { ApiProblem } from "../../../src/api/client/api-problem.ts";
import { en } from "../text/en.ts";
import { useData, type Data } from "./data-context.tsx";
import type { NoticeState } from "./notices.ts";
import type { Order } from "./order.ts";

export interface Acted {
  readonly state: Exclude<NoticeState, "asking">;
  readonly text: string;
  /** What the server answered; null where it refused or was not reached. */
  readonly answer: unknown;
  readonly problem: ApiProblem | null;
}

export interface Act {
  readonly isAsking: boolean;
  readonly ask: (order: Order) => Promise<Acted>;
}

/** Asks the server to do something. Each call has a key of its own, so that asking again counts once. */
export function useAct(): Act {
  const data = useData();
  const [asking, setAsking] = useState(0);
  const ask = useCallback(
    async (order: Order) => {
      setAsking((count) => count + 1);
      try {
        return await perform(data, order, newKey());
      } finally {
        setAsking((count) => count - 1);
      }
    },
    [data],
  );
  return { isAsking: asking > 0, ask };
}

async function perform(data: Data, order: Order, key: string): Promise<Acted> {
  const { notices, cache } = data;
  const { title } = order;
  notices.put({ id: key, title, state: "asking", text: "", problem: null, again: null });
  const acted = await send(data, order, key);
  const again = acted.state === "lost" ? () => void perform(data, order, key) : null;
  notices.put({ id: key, title, state: acted.state, text: acted.text, problem: acted.problem, again });
  cache.reset();
  return acted;
}

async function send({ source }: Data, { route, input }: Order, key: string): Promise<Acted> {
  try {
    const answer: unknown = await source.call(route, input as never, { idempotencyKey: key });
    const { outcome, text } = (answer ?? {}) as { outcome?: unknown; text?: unknown };
    const state = outcome === "queued" ? "queued" : "done";
    return { state, text: typeof text === "string" ? text : "", answer, problem: null };
  } catch (error) {
    if (error instanceof ApiProblem)
      return { state: "refused", text: error.message, answer: null, problem: error };
    return { state: "lost", text: en.act.lostText, answer: null, problem: null };
  }
}

/** Pages without a secure context have no `randomUUID`. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `web-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
