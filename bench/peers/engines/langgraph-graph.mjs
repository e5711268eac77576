// LangGraph's graph API: one node that leads back to itself, a checkpoint after each pass.
import { Annotation, END, START, StateGraph, StateSchema, DeltaValue } from "@langchain/langgraph";
import { openSaver, threadOf } from "./langgraph-store.mjs";
import { z } from "zod";

export async function open(settings) {
  const { saver, close } = openSaver(settings);
  let does = () => undefined;
  const graph = stepGraph((i) => does(i), saver);
  return {
    async run(id, steps, work) {
      does = work;
      const begun = (await saver.getTuple(threadOf(id))) !== undefined;
      const end = await graph.invoke(begun ? null : { steps, n: 0 }, {
        ...threadOf(id),
        recursionLimit: steps + 10,
      });
      return end.n;
    },
    async grow(id, { seed = [], iterations, message, at }) {
      const grown = growGraph(settings.delta ? deltaState() : listState(), {
        saver,
        last: seed.length + iterations,
        message,
        at: (n) => at(n - seed.length),
      });
      const options = { ...threadOf(id), recursionLimit: iterations + 10 };
      const end = await grown.invoke({ messages: seed, n: seed.length }, options);
      await at(iterations);
      if (end.messages.length !== seed.length + iterations) throw new Error(`grew to ${end.messages.length}`);
    },
    close,
  };
}

function stepGraph(work, checkpointer) {
  const State = Annotation.Root({ n: Annotation(), steps: Annotation(), last: Annotation() });
  return new StateGraph(State)
    .addNode("step", async ({ n }) => ({ n: n + 1, last: await work(n) }))
    .addEdge(START, "step")
    .addConditionalEdges("step", ({ n, steps }) => (n < steps ? "step" : END))
    .compile({ checkpointer });
}

const listState = () =>
  Annotation.Root({
    n: Annotation(),
    messages: Annotation({ reducer: (list, more) => list.concat(more), default: () => [] }),
  });

const deltaState = () =>
  new StateSchema({
    n: z.number(),
    messages: new DeltaValue(
      z.array(z.any()).default(() => []),
      {
        reducer: (list, writes) => list.concat(...writes),
      },
    ),
  });

function growGraph(state, { saver, last, message, at }) {
  return new StateGraph(state)
    .addNode("grow", async ({ n }) => {
      await at(n);
      return { n: n + 1, messages: [message(n)] };
    })
    .addEdge(START, "grow")
    .addConditionalEdges("grow", ({ n }) => (n < last ? "grow" : END))
    .compile({ checkpointer: saver });
}
