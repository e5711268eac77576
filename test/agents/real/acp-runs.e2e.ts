import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { agentsTier } from "../agents-tier.ts";
import type { ModelScriptInput } from "../../../src/model/agent/model-script.ts";
import { isAlive } from "../../cli/cli-process.ts";
import { ACP_AGENTS, type AcpAgent } from "./agent-setup.ts";
import { notInstalled, written } from "./agent-stage.ts";
import { CONTENT, HELLO, withFaults } from "./scripts.ts";
import { outcomesIn, Show, signalsIn, story } from "./show.ts";

const GOAL = "Write hello.txt";

/** One real agent on a scripted model, configured for the real command line. */
const open = (t: TestContext, { command, aim }: AcpAgent, script: ModelScriptInput): Promise<Show> =>
  Show.open(t, { spec: { use: "acp", command }, aim, settings: { attempts: { perStep: 2 } } }, script);

const named = (name: string): AcpAgent => {
  const agent = ACP_AGENTS.find((one) => one.name === name);
  assert.ok(agent !== undefined);
  return agent;
};
const unlessThere = ({ name, command }: AcpAgent): string | false =>
  command === undefined && notInstalled(name);

for (const agent of ACP_AGENTS.filter(({ livesOn }) => livesOn))
  test(
    `A6 the real ${agent.name}, killed in the middle of a turn, goes on with its conversation in the next attempt`,
    { skip: agentsTier || unlessThere(agent) },
    async (t) => {
      const show = await open(t, agent, withFaults(1, [{ kind: "hang" }]));
      await show.begin(GOAL, "--check", "grep -q scripted hello.txt");
      await show.asked(1);
      for (const pid of show.agentPids(1)) if (isAlive(pid)) process.kill(pid, "SIGKILL");
      await show.bench.reaches(show.run, "completed");
      const events = await show.events();
      assert.deepEqual(outcomesIn(events), ["crashed", "succeeded"], story(events));
      const positions = show.positions();
      assert.ok(!positions.slice(1).includes(0), `the history was there: ${positions.join(" ")}`);
    },
  );

/** The same agent, told to ask before it writes. */
const asking = (): AcpAgent => {
  const agent = named("opencode acp");
  return {
    ...agent,
    aim: (stage) => {
      const { env, files } = agent.aim(stage);
      const asks = Object.entries(files).map(([file, text]) => [
        file,
        text.replace('"edit":"allow"', '"edit":"ask"'),
      ]);
      return { env, files: Object.fromEntries(asks) as Record<string, string> };
    },
  };
};
const WRITE_ONLY: ModelScriptInput = { turns: [HELLO.turns[0] ?? assert.fail(), { say: "That is all." }] };

for (const answer of ["approve", "reject"] as const)
  test(
    `A9 what the real opencode asks to be allowed waits in the inbox; on ${answer} it ${answer === "approve" ? "runs" : "does not run"}`,
    { skip: agentsTier || unlessThere(named("opencode acp")) },
    async (t) => {
      const show = await open(t, asking(), WRITE_ONLY);
      await show.begin(GOAL);
      await show.bench.reaches(show.run, "awaiting_approval");
      assert.equal(written(show.stage), "");
      const inbox = await show.bench.call(["inbox"]);
      assert.match(inbox.stdout, /asks for permission: .*hello\.txt/s);
      const words =
        answer === "approve" ? ["approve", show.run] : ["reject", show.run, "--note", "not this file"];
      const answered = await show.bench.call(words);
      assert.equal(answered.code, 0, answered.stdout + answered.stderr);
      const all = await show.journals("AttemptEnded");
      assert.equal(written(show.stage), answer === "approve" ? CONTENT : "", story(all));
      await show.bench.call(["cancel", show.run]);
    },
  );

test(
  "O4 the real opencode is offered Holdfast's own tools, and what it reports with them is in the journal",
  { skip: agentsTier || unlessThere(named("opencode acp")) },
  async (t) => {
    const report = { name: "holdfast_report_progress", arguments: { text: "half way there", percent: 50 } };
    const show = await open(t, named("opencode acp"), {
      turns: [{ say: "I will report.", acts: [{ tool: report }] }, { say: "That is all." }],
    });
    await show.begin(GOAL);
    await show.bench.reaches(show.run, "completed");
    const all = await show.events();
    const reported = signalsIn(all).filter((signal) => signal.kind === "progress");
    assert.deepEqual(reported, [{ kind: "progress", text: "half way there", pct: 50 }], story(all));
  },
);
