import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { test } from "node:test";
import { keeperOf, sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { sessionMembers } from "../../../src/agents/keeper/session-members.ts";
import { targetOf, tmuxClient } from "../../../src/agents/tmux/tmux-client.ts";
import { waitFor } from "../contract/scene.ts";
import { noSandbox, SandboxStage } from "./sandbox-stage.ts";

const IMPOSSIBLE = {
  kind: "impossible",
  why: "bwrap was not found on PATH",
  remedy: "apt install bubblewrap",
} as const;

const seen = (file: string): string | undefined =>
  existsSync(file) && readFileSync(file, "utf8") !== "" ? readFileSync(file, "utf8").trim() : undefined;

test("P6 an agent that requires a sandbox is refused by name where none is possible, and nothing is started", async (t) => {
  const stage = new SandboxStage({ find: () => IMPOSSIBLE });
  t.after(() => stage.close());
  const outcome = await stage.start(stage.order("touch begun"));
  assert.ok(outcome.kind === "failed" && outcome.terminal);
  assert.match(
    outcome.text,
    /requires a sandbox.*bwrap was not found on PATH.*holdfast doctor.*sandbox: auto or none/s,
  );
  assert.equal(existsSync(path.join(stage.repo, "begun")), false);
});

test("P6 auto starts an agent without a sandbox where none is possible, and says so and why", async (t) => {
  const stage = new SandboxStage({ find: () => IMPOSSIBLE });
  t.after(() => stage.close());
  const { outcome } = await stage.play(stage.order("touch begun", { sandbox: "auto" }));
  assert.ok(outcome.kind === "started");
  assert.deepEqual(outcome.sandbox, {
    active: false,
    text: "without a sandbox: bwrap was not found on PATH (apt install bubblewrap)",
  });
  assert.equal(existsSync(path.join(stage.repo, "begun")), true);
});

test("P6 a folder that holds the home is no workspace of a sandbox", { skip: noSandbox }, async (t) => {
  const stage = new SandboxStage();
  t.after(() => stage.close());
  const outcome = await stage.start({ ...stage.order("true"), cwd: stage.home });
  assert.ok(outcome.kind === "failed");
  assert.match(outcome.text, /the folder to work in, .* holds .*home/);
});

test("P6 A5 exit codes and deaths by signals pass through the sandbox", { skip: noSandbox }, async (t) => {
  const stage = new SandboxStage();
  t.after(() => stage.close());
  const [code, death] = await Promise.all([
    stage.play(stage.order("echo out; echo err >&2; exit 7")),
    stage.play(stage.order("kill -TERM $$")),
  ]);
  assert.deepEqual(code.exit, { kind: "exit", how: "code", code: 7 });
  assert.deepEqual(death.exit, { kind: "exit", how: "signal", signal: "SIGTERM" });
  assert.equal(seen(path.join(stage.sessions, "s1", "err.spool")), "err");
});

test(
  "P6 A5 an agent in a sandbox is ended politely, and reports how it ended",
  { skip: noSandbox },
  async (t) => {
    const stage = new SandboxStage();
    t.after(() => stage.close());
    const order = stage.order("trap 'echo bye > bye; exit 3' INT; touch begun; while :; do sleep 0.1; done");
    await stage.start(order);
    await waitFor(() => existsSync(path.join(stage.repo, "begun")) || undefined);
    assert.deepEqual(await stage.driver(order).end(order, 5_000), { kind: "ended" });
    assert.equal(seen(path.join(stage.repo, "bye")), "bye");
    assert.deepEqual((await stage.receive(order)).exit, { kind: "exit", how: "code", code: 3 });
  },
);

test(
  "P6 A5 an agent in a sandbox that heeds no signal is ended firmly, and nothing of it is left",
  { skip: noSandbox },
  async (t) => {
    const stage = new SandboxStage();
    t.after(() => stage.close());
    const order = stage.order(
      "trap '' INT TERM; touch begun; (setsid sleep 304 &); while :; do sleep 0.1; done",
    );
    await stage.start(order);
    await waitFor(() => existsSync(path.join(stage.repo, "begun")) || undefined);
    assert.deepEqual(await stage.driver(order).end(order, 500), { kind: "ended" });
    assert.deepEqual(sessionMembers(sessionFolder(stage.sessions, order.session).mark, undefined), []);
  },
);

test("P6 A2 a sandbox ends with its keeper, and never before", { skip: noSandbox }, async (t) => {
  const stage = new SandboxStage();
  t.after(() => stage.close());
  const order = stage.order("touch begun; sleep 305");
  await stage.start(order);
  await waitFor(() => existsSync(path.join(stage.repo, "begun")) || undefined);
  const folder = sessionFolder(stage.sessions, order.session);
  assert.equal((await stage.driver(order).find(order)).kind, "alive");
  process.kill(keeperOf(folder)?.pid ?? 0, "SIGKILL");
  const members = (): readonly unknown[] | "unknown" => sessionMembers(folder.mark, undefined);
  await waitFor(() => members().length === 0 || undefined);
  assert.equal((await stage.driver(order).find(order)).kind, "gone");
});

test(
  "P6 without a network an agent in a sandbox reaches nothing on this machine",
  { skip: noSandbox },
  async (t) => {
    let called = 0;
    const server = createServer((peer) => {
      called += 1;
      peer.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const script = `perl -MIO::Socket::INET -e 'IO::Socket::INET->new("127.0.0.1:${String(port)}") or exit 4'`;
    const stage = new SandboxStage();
    t.after(() => stage.close());
    const codes: unknown[] = [];
    for (const network of ["none", "all"] as const) {
      const { exit } = await stage.play(stage.order(script, { network }));
      codes.push(exit.how === "code" ? exit.code : exit);
    }
    assert.deepEqual([codes, called], [[4, 0], 1]);
  },
);

test(
  "P6 a terminal program in a sandbox has its terminal, and an interrupt reaches it alone",
  { skip: noSandbox },
  async (t) => {
    const stage = new SandboxStage();
    const script = `trap 'echo caught > caught' INT; tty -s && echo yes > terminal; ls ${stage.home} > home; touch begun; while :; do sleep 0.1; done`;
    const order = stage.order(script, { use: "tmux", prompt: "^> " });
    t.after(async () => {
      await stage.driver(order).end(order, 200);
      await stage.close();
    });
    const outcome = await stage.start(order);
    assert.ok(outcome.kind === "started" && outcome.sandbox?.active === true, JSON.stringify(outcome));
    await waitFor(() => existsSync(path.join(stage.repo, "begun")) || undefined);
    assert.equal(seen(path.join(stage.repo, "terminal")), "yes");
    assert.equal(seen(path.join(stage.repo, "home")), "repo");
    await tmuxClient(stage.sessions).run(["send-keys", "-t", targetOf(order.session), "C-c"]);
    assert.equal(await waitFor(() => seen(path.join(stage.repo, "caught"))), "caught");
    assert.equal((await stage.driver(order).find(order)).kind, "alive");
  },
);
