// Restate: its server keeps the journal, this process serves the handler.
import * as restate from "@restatedev/restate-sdk";

export async function open({ folder, restate: { ingress, admin }, port, register = true }) {
  let does = () => undefined;
  const bench = restate.service({
    name: "bench",
    handlers: {
      flow: async (ctx, steps) => {
        for (let i = 0; i < steps; i += 1) await ctx.run("step", () => does(i));
        return steps;
      },
    },
  });
  const server = await listening(restate.createEndpointHandler({ services: [bench] }), port);
  const uri = `http://127.0.0.1:${server.address().port}`;
  if (register) await post(`${admin}/deployments`, { uri, force: true });
  return {
    async run(id, steps, work) {
      does = work;
      return post(`${ingress}/bench/flow`, steps, { "idempotency-key": `${folder}/${id}` });
    },
    close: () => void server.close(),
  };
}

async function listening(handler, port = 0) {
  const { createServer } = await import("node:http2");
  const server = createServer(handler);
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return server;
}

async function post(url, body, headers = {}) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return JSON.parse(text);
}
