import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { agentsTier } from "../agents-tier.ts";
import { quoted } from "../../../src/agents/tmux/launch-script.ts";
import { readSaid, TASK_KEY } from "../../../src/agents/tmux/type/said-record.ts";
import { terminalFolder } from "../../../src/agents/tmux/terminal-folder.ts";
import { pipeCommand } from "../../../src/agents/tmux/start-terminal.ts";
import { paneNameOf, targetOf } from "../../../src/agents/tmux/tmux-client.ts";
import { tmuxDriver } from "../../../src/agents/tmux/tmux-driver.ts";
import { realWorld } from "../../../src/real-world.ts";
import { noTmux } from "../contract/tmux-subject.ts";
import { receiveAll, kinds, processesOf, waitFor } from "../contract/scene.ts";
import { ZOO } from "../zoo/zoo.ts";
import { nastyTexts } from "./nasty-texts.ts";
import { inTerminals, until } from "./terminal-scene.ts";

test(
  "A5 A4 a tmux server that is killed leaves nothing behind: the agent is reported as gone, and ended",
  { skip: noTmux },
  () =>
    inTerminals(async (scene) => {
      // Deaf to the hang-up too, so it outlives its terminal.
      const order = await scene.begin("deaf");
      const terminal = terminalFolder(scene.sessions, order.session);
      await until(() => readSaid(terminal, TASK_KEY)?.state === "sent", "its task to be taken");
      const hearing = receiveAll(scene.driver, order);
      process.kill(await scene.serverPid(), "SIGKILL");
      const { signals } = await hearing;
      assert.equal(kinds(signals).at(-1), "exit");
      assert.ok(!signals.some((signal) => signal.kind === "result" && signal.ok));
      const exit = signals.at(-1);
      // By our signal, or because it could not bear to be without its terminal.
      assert.ok(exit?.kind === "exit" && exit.code !== 0);
      assert.deepEqual(processesOf(scene.folder), []);
    }),
);

const namedInCommands = (word: string): boolean =>
  readdirSync("/proc").some((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word);
    } catch {
      return false;
    }
  });

test("A2 a session that is started just as the server ends gets another server", { skip: noTmux }, () =>
  inTerminals(async (scene) => {
    await scene.begin("hangs");
    const server = await scene.serverPid();
    process.kill(server, "SIGSTOP");
    const order = scene.order("works");
    const starting = scene.driver.start(order);
    // It is spoken to, and ends before it answers.
    await until(() => namedInCommands(paneNameOf(order.session)), "somebody to ask for the terminal");
    await new Promise((resolve) => setTimeout(resolve, 200));
    process.kill(server, "SIGKILL");
    const outcome = await starting;
    assert.equal(outcome.kind, "started", JSON.stringify(outcome));
    assert.equal(kinds((await receiveAll(scene.driver, order)).signals).at(-1), "exit");
  }),
);

test("A4 a tmux server that does not answer is no death: the agent is found alive", { skip: noTmux }, () =>
  inTerminals(async (scene) => {
    const order = await scene.begin("hangs");
    await until(() => scene.workDone() > 0, "its work");
    const server = await scene.serverPid();
    process.kill(server, "SIGSTOP");
    try {
      assert.equal((await scene.driver.find(order)).kind, "alive");
    } finally {
      process.kill(server, "SIGCONT");
    }
    assert.deepEqual(await scene.driver.end(order, 1_000), { kind: "ended" });
  }),
);

test(
  "A1 A4 without tmux a start fails and says what to install, and what runs is still found",
  { skip: noTmux },
  () =>
    inTerminals(async (scene) => {
      const order = await scene.begin("hangs");
      const blind = tmuxDriver({
        world: realWorld(),
        folder: scene.sessions,
        tmux: "tmux-that-is-not-there",
      });
      const outcome = await blind.start({ ...order, session: "another" });
      assert.ok(outcome.kind === "failed" && outcome.terminal && /install/.test(outcome.text));
      assert.equal((await blind.find(order)).kind, "alive");
      await blind.close();
      assert.deepEqual(await scene.driver.end(order, 1_000), { kind: "ended" });
      await scene.driver.end({ ...order, session: "another" }, 100);
    }),
);

test(
  "A5 what an agent leaves behind when it exits is ended, with and without its terminal",
  { skip: noTmux },
  () =>
    inTerminals(async (scene) => {
      const order = await scene.begin("orphans");
      const { signals } = await receiveAll(scene.driver, order);
      assert.deepEqual(signals.at(-1), { kind: "exit", how: "code", code: 0 });
      assert.ok(processesOf(scene.folder).length > 0, "the one in a session of its own lives");
      assert.deepEqual(await scene.driver.end(order, 1_000), { kind: "ended" });
      assert.deepEqual(processesOf(scene.folder), []);
    }),
);

test(
  "A5 P2 every misbehaving agent is ended in its terminal with all its descendants",
  { skip: agentsTier || noTmux },
  () =>
    inTerminals(async (scene) => {
      const orders = ZOO.map(({ name, command }) => scene.program(command, { session: `zoo.${name}` }));
      for (const order of orders) assert.equal((await scene.driver.start(order)).kind, "started");
      const spool = (session: string): string =>
        readFileSync(path.join(scene.folderOf(session).folder, "terminal.spool"), "latin1");
      for (const { name, says } of ZOO) {
        // A terminal ends lines in its own way, and may have got what was typed between.
        const words = says === undefined ? /^/ : new RegExp(says.source.replaceAll(/^\^|\$$/g, ""));
        await until(() => words.test(spool(`zoo.${name}`)), name);
      }
      for (const order of orders)
        assert.deepEqual(await scene.driver.end(order, 300), { kind: "ended" }, order.session);
      assert.deepEqual(processesOf(scene.folder), []);
    }),
);

const NASTY = nastyTexts(300, "/tmp/holdfast-canary-that-must-not-be")
  .map((text) => text.replaceAll("\0", "").slice(0, 2_000))
  .map((text, index) => `${text}${String(index)}`);

test("300 nasty strings are one word each to a shell, and only fixed characters to tmux", () => {
  const words = spawnSync("/bin/sh", ["-s"], {
    input: NASTY.map((text) => `printf '%s\\0' ${quoted(text.toWellFormed())}`).join("\n"),
    maxBuffer: 64 * 1024 * 1024,
  });
  assert.deepEqual(
    words.stdout.toString("utf8").split("\0").slice(0, -1),
    NASTY.map((text) => text.toWellFormed()),
  );
  assert.equal(new Set(NASTY.map(paneNameOf)).size, NASTY.length);
  for (const text of NASTY) {
    assert.match(targetOf(text), /^=hf-[0-9a-f]{32}:$/);
    assert.match(
      pipeCommand(`/${text}`, `/${text}`),
      /^exec >>"\$\(printf '(\\[0-7]{3})+'\)"; [^#]* "\$\(printf '(\\[0-7]{3})+'\)"$/,
    );
  }
});

test(
  "A3 nasty strings as session, folder, words and environment reach the program as they are",
  { skip: noTmux },
  () =>
    inTerminals(async (scene) => {
      const canary = path.join(scene.folder, "canary");
      const program = `require("fs").writeFileSync(process.argv[1], JSON.stringify([process.cwd(), process.argv.slice(2), process.env.NASTY, process.env.TMUX]))`;
      const nasty = nastyTexts(43, canary)
        .filter((_, index) => agentsTier === false || index % 5 === 3)
        .map((text) => text.replaceAll("\0", "").toWellFormed().slice(0, 3_000));
      for (const [index, text] of nasty.entries()) {
        const cwd = path.join(
          scene.folder,
          `${String(index)} ${text.replaceAll("/", "_").slice(0, 60).toWellFormed()}`,
        );
        mkdirSync(cwd);
        const out = path.join(scene.folder, `out-${String(index)}`);
        const order = scene.program([process.execPath, "-e", program, out, text, "", ";"], {
          session: `${text}${String(index)}`,
          run: text,
          step: text,
          cwd,
        });
        const spec = { ...order.spec, env: { NASTY: text } };
        const start = await scene.driver.start({ ...order, spec });
        assert.equal(start.kind, "started", JSON.stringify(start));
        await until(() => existsSync(out) && readFileSync(out).length > 0, JSON.stringify(text));
        assert.deepEqual(JSON.parse(readFileSync(out, "utf8")), [cwd, [text, "", ";"], text, null]);
        await scene.driver.end(order, 300);
      }
      assert.equal(existsSync(canary), false);
      assert.deepEqual(
        readdirSync(scene.folder).filter((name) => name.includes("holdfast-canary")),
        [],
      );
      await waitFor(() => (processesOf(scene.folder).length === 0 ? true : undefined));
    }),
);

test(
  "A1 a program in a terminal is not informed that nobody sits before it, unless its own settings say so",
  { skip: noTmux },
  () =>
    inTerminals(async (scene) => {
      const names = ["CI", "CONTINUOUS_INTEGRATION", "BUILD_NUMBER", "RUN_ID", "CI_COMMIT"];
      const before = names.map((name) => process.env[name]);
      for (const name of names) process.env[name] = "inherited";
      try {
        const program = `require("fs").writeFileSync(process.argv[1], JSON.stringify(process.argv.slice(2).map((name) => process.env[name] ?? null)))`;
        for (const [env, expected] of [
          [{}, null],
          [{ CI: "told" }, "told"],
        ] as const) {
          const out = path.join(scene.folder, `env-${String(expected)}`);
          const order = scene.program([process.execPath, "-e", program, out, ...names], {
            session: `env-${String(expected)}`,
          });
          await scene.driver.start({ ...order, spec: { ...order.spec, env } });
          await until(() => existsSync(out) && readFileSync(out).length > 0, "the environment is told");
          assert.deepEqual(JSON.parse(readFileSync(out, "utf8")), [expected, null, null, null, null]);
          await scene.driver.end(order, 300);
        }
      } finally {
        for (const [index, name] of names.entries()) {
          const value = before[index];
          if (value === undefined) Reflect.deleteProperty(process.env, name);
          else process.env[name] = value;
        }
      }
    }),
);

test(
  "A8 a session name is matched exactly: what is said to one is not received by another",
  { skip: noTmux },
  () =>
    inTerminals(async (scene) => {
      const order = scene.program(["cat"], { session: "app-10", prompt: "^$" });
      await scene.driver.start(order);
      assert.equal((await scene.driver.find({ ...order, session: "app-1" })).kind, "gone");
      const answer = await scene.tmux.run(["has-session", "-t", targetOf("app-1")]);
      assert.equal(answer.kind, "absent");
      await scene.driver.end(order, 300);
    }),
);

test("A4 a server whose socket was removed is no death: its agent goes on", { skip: noTmux }, () =>
  inTerminals(async (scene) => {
    const order = await scene.begin("hangs");
    const terminal = terminalFolder(scene.sessions, order.session);
    await until(() => readSaid(terminal, TASK_KEY)?.state === "sent", "its task to be taken");
    const received: string[] = [];
    scene.driver.listen(order, "", async ({ signals }) => void received.push(...kinds(signals)));
    const server = await scene.serverPid();
    const answer = await scene.tmux.run(["display-message", "-p", "#{socket_path}"]);
    assert.ok(answer.kind === "done");
    rmSync(answer.out.trim());
    await waitFor(() => (received.includes("error") ? true : undefined), 3_000);
    assert.equal((await scene.driver.find(order)).kind, "alive");
    assert.deepEqual(received.includes("error"), false);
    // As its manual says, it makes a new one.
    process.kill(server, "SIGUSR1");
    await until(async () => (await scene.tmux.run(["list-panes", "-a"])).kind === "done", "a new socket");
    assert.deepEqual(await scene.driver.end(order, 1_000), { kind: "ended" });
  }),
);
