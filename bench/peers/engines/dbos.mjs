// DBOS on PostgreSQL: a workflow whose steps are rows.
import { DBOS } from "@dbos-inc/dbos-sdk";

export async function open({ postgres }) {
  let does = () => undefined;
  let begin = () => undefined;
  const begun = new Promise((resolve) => (begin = resolve));
  const flow = DBOS.registerWorkflow(
    async (steps) => {
      await begun;
      for (let i = 0; i < steps; i += 1) await DBOS.runStep(async () => does(i), { name: "step" });
      return steps;
    },
    { name: "flow" },
  );
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: postgres,
    logLevel: "error",
    applicationVersion: "bench",
  });
  // What an earlier process left unfinished is taken up by launching.
  await DBOS.launch();
  return {
    async run(id, steps, work) {
      does = work;
      begin();
      const handle = await DBOS.startWorkflow(flow, { workflowID: id })(steps);
      return handle.getResult();
    },
    close: () => DBOS.shutdown(),
  };
}
