import type { TestContext } from "node:test";
import { startModelServer, type ModelServer } from "../../src/chaos/model-server.ts";
import { modelScriptSchema, type ModelScriptInput } from "../../src/model/model-script.ts";

/** A scripted model for the time of one test. */
export async function scriptedModel(
  t: TestContext,
  script: ModelScriptInput,
  log?: string,
): Promise<ModelServer> {
  const server = await startModelServer({
    script: modelScriptSchema.parse(script),
    ...(log === undefined ? {} : { log }),
  });
  t.after(() => server.close());
  return server;
}
