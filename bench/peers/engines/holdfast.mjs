// Holdfast as its users get it: the built package, on a SQLite file or on PostgreSQL.
import { openHoldfast } from "../../../dist/index.js";

export async function open({ folder, postgres, onPostgres = false }) {
  const hf = await openHoldfast({ store: onPostgres ? postgres : `sqlite:${folder}/holdfast.db` });
  return {
    run: (id, steps, work) =>
      hf.run(id, async (run) => {
        for (let i = 0; i < steps; i += 1) await run.step(`s${i}`, () => work(i));
        return steps;
      }),
    async grow(id, { iterations, message, at }) {
      await hf.run(id, async (run) => {
        const end = await run.loop("grow", { messages: [] }, async (state, i) => {
          await at(i);
          return { state: { messages: [...state.messages, message(i)] }, done: i === iterations - 1 };
        });
        return end.messages.length;
      });
      await at(iterations);
    },
    close: () => hf.close(),
  };
}
