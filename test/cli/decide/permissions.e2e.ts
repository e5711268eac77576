import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { CliBench, pasted } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(2);

const here = (...parts: string[]): string => path.join(import.meta.dirname, "..", "..", "agents", ...parts);
const acp = [process.execPath, here("acp", "small-agent.ts")];
const asks = ["npm test", "rm -rf build", "npm test; rm -rf build"];
const acts = [...asks.map((ask) => ({ ask })), { say: "done" }];

const RULES = {
  default: "ask",
  rules: [
    { match: "rm *", then: "deny" },
    { match: "npm test*", then: "allow" },
  ],
};

const bench = new CliBench({
  "acts.json": JSON.stringify(acts),
  "holdfast.yaml": JSON.stringify({
    agents: {
      ruled: { use: "acp", command: [...acp, "acts.json"], permissions: RULES },
      tui: {
        use: "tmux",
        command: [process.execPath, here("tmux", "claude.mjs"), "keys", "asks"],
        permissions: { default: "allow", rules: [{ kind: "execute", match: "rm *", then: "deny" }] },
      },
    },
    supervisor: { idleExitMs: 300, scanMs: 100 },
  }),
});
after(() => bench.close());

const answers = async (run: string): Promise<unknown[]> =>
  (await bench.eventsOf(run)).flatMap(({ type, data }) => {
    if (type !== "EffectIntended" || data.effect.kind !== "AnswerPermission") return [];
    const { allow, rule = "a person" } = data.effect;
    return [[allow, rule]];
  });

test("A9 G4 each request is answered by the first rule about it, which is recorded; what no rule is about is asked", async () => {
  await bench.json(["run", "it", "--agent", "ruled", "--id", "ruled", "--detach"]);
  await bench.reaches("ruled", "awaiting_approval");
  const { inbox } = await bench.json<{ inbox: { command: string; detail: string }[] }>(["inbox"]);
  assert.match(inbox[0]?.detail ?? "", /npm test; rm -rf build.*\(default: ask\)/);
  assert.deepEqual(await answers("ruled"), [
    [true, "rule 2 (match npm test*): allow"],
    [false, "rule 1 (match rm *): deny"],
  ]);
  assert.equal((await bench.call(pasted(inbox[0]?.command ?? ""))).code, 0);
  await bench.reaches("ruled", "completed");
  assert.deepEqual((await answers("ruled")).at(-1), [true, "a person"]);
  const reported = (await bench.call(["events", "ruled"])).stdout;
  assert.match(reported, /permission denied \(rule 1 \(match rm \*\): deny\): rm -rf build/);
});

test("A9 a dialog of a terminal reports no command: a rule that might deny it has a person asked, by name", async () => {
  await bench.json(["run", "it", "--agent", "tui", "--id", "tui", "--detach"]);
  await bench.reaches("tui", "awaiting_approval");
  const { inbox } = await bench.json<{ inbox: { run: string; detail: string }[] }>(["inbox"]);
  const asked = inbox.find(({ run }) => run === "tui")?.detail ?? "";
  assert.match(asked, /rule 1 \(kind execute, match rm \*\): deny; the agent did not report/);
  assert.deepEqual(await answers("tui"), []);
  const keys = path.join(bench.cwd, "keys");
  assert.ok(!existsSync(keys) || !/"[12]"/.test(readFileSync(keys, "utf8")), "nothing was answered");
  await bench.call(["cancel", "tui"]);
});
