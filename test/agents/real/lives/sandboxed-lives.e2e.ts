import assert from "node:assert/strict";
import { test } from "node:test";
import { lookForSandbox } from "../../../../src/agents/sandbox/find-sandbox.ts";
import { agentsTier } from "../../agents-tier.ts";
import { liveThrough } from "./agent-life.ts";
import { ONE_SHOT_AGENTS, type RealAgent } from "../agent-setup.ts";
import { notInstalled } from "../agent-stage.ts";
import { story } from "../show.ts";

const found = lookForSandbox(process.env["PATH"]);
const impossible = found.kind === "impossible" && `no sandbox is possible here: ${found.why}`;

for (const { name, version, program, aim } of ONE_SHOT_AGENTS)
  test(
    `P6 A2 A6 the real ${name} ${version} does its task in a sandbox, is taken over in the middle of a turn, and is resumed`,
    { skip: agentsTier || impossible || (program === undefined && notInstalled(name)) },
    async (t) => {
      // Named, so that no second model is asked which model is best.
      const named = name === "gemini" ? { model: "gemini-2.5-flash" } : {};
      const spec = { use: name, command: program, sandbox: "required", ...named };
      const { events } = await liveThrough(t, { spec, aim, breaksItsHistory: name === "gemini" });
      const starts = events.flatMap((event) =>
        event.type === "EffectSettled" && event.data.outcome.kind === "done"
          ? [event.data.outcome.sandbox?.active]
          : [],
      );
      assert.equal(starts.filter((active) => active === true).length, 2, story(events));
    },
  );

/** The address of the model is allowed because a variable names it; Codex and opencode read it from a file of theirs. */
const named =
  (aim: RealAgent["aim"]): RealAgent["aim"] =>
  (stage) => {
    const { env, files } = aim(stage);
    return { env: { ...env, OPENAI_BASE_URL: `${stage.url}/v1` }, files };
  };

for (const { name, version, program, aim } of ONE_SHOT_AGENTS)
  test(
    `P6 A2 A6 the real ${name} ${version} lives through the same with network: provider`,
    { skip: agentsTier || impossible || (program === undefined && notInstalled(name)) },
    async (t) => {
      const model = name === "gemini" ? { model: "gemini-2.5-flash" } : {};
      const spec = { use: name, command: program, sandbox: "required", network: "provider", ...model };
      const living = { spec, aim: named(aim), breaksItsHistory: name === "gemini" };
      const { events } = await liveThrough(t, living);
      assert.match(story(events), /in a sandbox .*network: provider/);
    },
  );
