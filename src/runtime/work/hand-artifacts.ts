import type { Effect } from "../../model/effects/effects.ts";
import type { EffectOutcome } from "../../model/effects/effect-outcome.ts";
import { Fault } from "../../model/fault.ts";
import type { Artifacts } from "../../workspace/artifacts.ts";

type EffectOf<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

export async function collectOutputs(
  artifacts: Artifacts,
  effect: EffectOf<"CollectOutputs">,
): Promise<EffectOutcome> {
  return { kind: "done", outputs: await artifacts.collect(effect) };
}

/**
 * What earlier steps have delivered is put, byte for byte, where the agent can read it, and the agent is informed
 * where. What cannot be handed on as it was accepted is not replaced by anything: the agent is not started.
 */
export async function handArtifacts(
  port: Artifacts,
  effect: EffectOf<"StartAgent">,
  run: string,
): Promise<EffectOf<"StartAgent"> | Extract<EffectOutcome, { kind: "failed" }>> {
  const { artifacts = [], spec, task, session } = effect;
  if (artifacts.length === 0) return effect;
  try {
    const folder = await port.hand({ key: `${run}/${session}`, artifacts });
    const files = artifacts.map(
      ({ step, path, digest }) => `- ${folder}/${step.replaceAll("/", "~")}/${path} (SHA-256 ${digest})`,
    );
    const words = `Earlier steps have delivered these files for you to read:\n${files.join("\n")}`;
    return {
      ...effect,
      task: `${task}\n\n${words}`,
      spec: { ...spec, env: { ...spec.env, HOLDFAST_ARTIFACTS: folder } },
    };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: "failed", text: error.message, terminal: true };
  }
}
