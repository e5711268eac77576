// LangGraph's functional API: an entrypoint whose tasks are recorded one by one.
import { entrypoint, task } from "@langchain/langgraph";
import { openSaver, threadOf } from "./langgraph-store.mjs";

export async function open(settings) {
  const { saver, close } = openSaver(settings);
  let does = () => undefined;
  const step = task("step", async (i) => does(i));
  const flow = entrypoint({ name: "flow", checkpointer: saver }, async (steps) => {
    for (let i = 0; i < steps; i += 1) await step(i);
    return steps;
  });
  return {
    async run(id, steps, work) {
      does = work;
      const begun = (await saver.getTuple(threadOf(id))) !== undefined;
      return flow.invoke(begun ? null : steps, threadOf(id));
    },
    close,
  };
}
