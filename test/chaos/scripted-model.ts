import type { TestContext } from "node:test";
import { startModelServer, type ModelServer, type ModelServerOptions } from "../../src/chaos/model-server.ts";
import { modelScriptSchema, type ModelScriptInput } from "../../src/model/agent/model-script.ts";

/** A scripted model for the time of one test. */
export async function scriptedModel(
  t: Pick<TestContext, "after">,
  script: ModelScriptInput,
  options: Omit<ModelServerOptions, "script"> = {},
): Promise<ModelServer> {
  const server = await startModelServer({ ...options, script: modelScriptSchema.parse(script) });
  t.after(() => server.close());
  return server;
}
