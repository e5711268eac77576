import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { sessionMembers } from "../../../src/agents/keeper/session-members.ts";
import { tmuxClient } from "../../../src/agents/tmux/tmux-client.ts";
import { openSystem } from "../../../src/main.ts";
import { configSchema } from "../../../src/model/settings/config.ts";
import { sessionKey } from "../../../src/model/ids.ts";
import { CliBench } from "../../cli/cli-process.ts";
import { noTmux } from "../contract/tmux-subject.ts";
import { outcomesIn, signalsOfAttempt, story } from "../real/show.ts";
import { programFile } from "./terminal-scene.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(0);

test(
  "A4 A5 A6 a run whose tmux server is killed goes on: what is left of the agent is ended, and the next attempt has its conversation",
  { skip: noTmux },
  async (t) => {
    const bench = new CliBench();
    t.after(() => bench.close());
    const keys = path.join(bench.root, "keys");
    const command = [process.execPath, programFile("claude.mjs"), keys, "resumes"];
    const config = { agents: { screen: { use: "tmux", command } }, backoff: { baseMs: 100, capMs: 100 } };
    bench.write("holdfast.json", JSON.stringify(config));
    const begun = await bench.call(["run", "do it", "--agent", "screen", "--id", "lost", "--detach"]);
    assert.equal(begun.code, 0, begun.stderr);
    await bench.receives("lost", '"conversation"');
    const sessions = `${bench.store}-sessions`;
    const answer = await tmuxClient(sessions).run(["display-message", "-p", "#{pid}"]);
    assert.ok(answer.kind === "done");
    process.kill(Number(answer.out), "SIGKILL");
    await bench.reaches("lost", "completed");
    const system = await openSystem({ store: `sqlite:${bench.store}`, settings: configSchema.parse({}) });
    const events = await system.ports.journal.read("lost", { after: 0, limit: 1_000 });
    await system.close();
    const [first, ...rest] = outcomesIn(events);
    assert.notEqual(first, "succeeded", story(events));
    assert.deepEqual(rest, ["succeeded"], story(events));
    const claims = signalsOfAttempt(events, 1).filter(({ kind }) => kind === "result");
    assert.ok(
      claims.every((claim) => claim.kind === "result" && !claim.ok),
      story(events),
    );
    const [began = [], wentOn = []] = readFileSync(`${keys}.words`, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as string[]);
    assert.deepEqual(began.slice(0, 1), ["--session-id"]);
    assert.deepEqual(wentOn, ["--resume", began[1]]);
    const { mark } = sessionFolder(sessions, sessionKey("lost", "work", 1));
    assert.deepEqual(sessionMembers(mark, undefined), []);
  },
);
