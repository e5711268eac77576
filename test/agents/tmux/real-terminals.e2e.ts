import { agentsTier } from "../agents-tier.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { sessionMembers } from "../../../src/agents/keeper/session-members.ts";
import { tmuxClient } from "../../../src/agents/tmux/tmux-client.ts";
import type { Signal } from "../../../src/model/agent/signals.ts";
import { noTmux } from "../contract/tmux-subject.ts";
import { notInstalled } from "../real/agent-stage.ts";
import { PERFORMERS } from "../real/performers.ts";
import { CONTENT, withFaults } from "../real/scripts.ts";
import { outcomesIn, Show, story } from "../real/show.ts";
import { superviseElsewhere } from "./supervise-elsewhere.ts";
import { TERMINAL_AGENTS, TerminalStage } from "./terminal-stage.ts";

const LIMIT_MS = 150_000;

async function receive(
  stage: TerminalStage,
  cursor: string,
  on: (signal: Signal) => void,
): Promise<Signal[]> {
  const received: Signal[] = [];
  await new Promise<void>((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error(`no exit: ${JSON.stringify(received)}`)), LIMIT_MS);
    stage.driver.listen(stage.order, cursor, async ({ signals }) => {
      received.push(...signals);
      for (const signal of signals) on(signal);
      if (signals.at(-1)?.kind !== "exit") return;
      clearTimeout(limit);
      resolve();
    });
  });
  return received;
}

const reasonToSkip = (program: readonly string[] | undefined, name: string): string | false =>
  noTmux !== false ? noTmux : program === undefined && notInstalled(name);

for (const setup of TERMINAL_AGENTS.slice(0, 2)) {
  const { name, version, program } = setup.agent;
  test(
    `A1 A8 A9 the real ${name} ${version} in its terminal takes its task, asks, is answered, and does its work`,
    { skip: agentsTier || reasonToSkip(program, name) },
    async () => {
      const stage = await TerminalStage.open(setup, { asks: true });
      try {
        assert.equal((await stage.driver.start(stage.order)).kind, "started");
        const answers: Promise<{ readonly kind: string }>[] = [];
        const received = await receive(stage, "", (signal) => {
          if (signal.kind !== "permission") return;
          const { askId } = signal;
          answers.push(
            stage.driver.answer(stage.order, { key: `${String(answers.length)}`, askId, allow: true }),
          );
        });
        assert.ok(answers.length > 0);
        for (const answer of answers) assert.equal((await answer).kind, "sent");
        assert.equal(stage.written(), CONTENT);
        const [result, exit] = received.slice(-2);
        assert.ok(result?.kind === "result" && result.ok, JSON.stringify(received.slice(-3)));
        assert.deepEqual(exit, { kind: "exit", how: "code", code: 0 });
        const { mark } = sessionFolder(stage.sessions, stage.order.session);
        assert.deepEqual(sessionMembers(mark, undefined), []);
      } finally {
        await stage.close();
      }
    },
  );

  test(
    `A2 the real ${name} in its terminal goes on when its supervisor is killed, and is adopted`,
    { skip: agentsTier || reasonToSkip(program, name) },
    async () => {
      const stage = await TerminalStage.open(setup, { asks: true });
      try {
        const first = superviseElsewhere(stage);
        const { cursor, signals } = await first.until((signal) => signal.kind === "permission");
        await first.kill();
        assert.equal((await stage.driver.find(stage.order)).kind, "alive");
        const asked = signals.find((signal) => signal.kind === "permission");
        assert.ok(asked?.kind === "permission");
        const resting = receive(stage, cursor, (signal) => {
          if (signal.kind === "permission")
            void stage.driver.answer(stage.order, { key: "second", askId: signal.askId, allow: true });
        });
        const { askId } = asked;
        assert.equal(
          (await stage.driver.answer(stage.order, { key: "first", askId, allow: true })).kind,
          "sent",
        );
        const rest = await resting;
        assert.equal(
          rest.filter((signal) => signal.kind === "permission" && signal.askId === askId).length,
          0,
        );
        assert.equal([...signals, ...rest].filter(({ kind }) => kind === "ready").length, 1);
        assert.deepEqual(rest.at(-1), { kind: "exit", how: "code", code: 0 });
        assert.equal(stage.written(), CONTENT);
      } finally {
        await stage.close();
      }
    },
  );
}

/** It keeps a call without its result, which its provider refuses: it goes on once, in vain, and begins again. */
const BREAKS_ITS_HISTORY = /^gemini /;

for (const { name, performer, missing } of PERFORMERS.filter((one) => one.name.endsWith(" in tmux")))
  test(
    `A4 A6 the real ${name}, whose tmux server is killed in the middle of a turn, ${BREAKS_ITS_HISTORY.test(name) ? "finishes its task in a new conversation" : "goes on with its conversation in the next attempt"}`,
    { skip: agentsTier || missing },
    async (t) => {
      const show = await Show.open(t, performer, withFaults(1, [{ kind: "hang" }]));
      await show.begin("Write hello.txt", "--check", "grep -q scripted hello.txt");
      await show.asked(1);
      const answer = await tmuxClient(`${show.bench.store}-sessions`).run([
        "display-message",
        "-p",
        "#{pid}",
      ]);
      assert.ok(answer.kind === "done");
      process.kill(Number(answer.out), "SIGKILL");
      await show.bench.reaches(show.run, "completed");
      const events = await show.events();
      const [first, ...rest] = outcomesIn(events);
      assert.notEqual(first, "succeeded", story(events));
      if (BREAKS_ITS_HISTORY.test(name)) {
        assert.equal(rest.length, 2, story(events));
        assert.equal(rest[1], "succeeded", story(events));
        return;
      }
      assert.deepEqual(rest, ["succeeded"], story(events));
      assert.ok(
        !show.positions().slice(1).includes(0),
        `the history was there: ${show.positions().join(" ")}`,
      );
    },
  );
