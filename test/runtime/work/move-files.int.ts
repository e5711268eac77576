import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { bringConversation, readConversation } from "../../../src/agents/meters/carry-conversation.ts";
import type { Effect } from "../../../src/model/effects/effects.ts";
import { realWorld } from "../../../src/real-world.ts";
import type { Ports } from "../../../src/runtime/ports.ts";
import { moveFiles } from "../../../src/runtime/work/move-files.ts";
import { EXAMPLES } from "../../model/example-events.ts";

const ID = "0a0a0a0a-1111-4222-8333-444444444444";
const HELPER = `projects/-tree/${ID}/subagents/agent-1.jsonl`;
const MAIN = `projects/-tree/${ID}.jsonl`;

/** A home of Claude Code's in which a conversation stands. */
function homes(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-move-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [one, two] = [path.join(folder, "one"), path.join(folder, "two")];
  const write = (name: string, text: string, home = one): void => {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    writeFileSync(path.join(home, name), text);
  };
  write(MAIN, '{"said":"hello"}\n{"said":"half a li');
  write(HELPER, '{"said":"help"}\n');
  const read = (name: string): string => readFileSync(path.join(two, name), "utf8");
  return { one, two, write, read };
}

const spec = { use: "claude" } as const;
const conversations = [{ step: "work", agent: "dev", id: ID, spec }];
const common = { remote: "/srv/runs.git", head: { branch: "b", commit: "0c" }, conversations, at: 1 };
const beside = { branch: { name: "b", commit: "0c" }, trusted: null, artifacts: [], snapshot: "0a" };

/** A remote that holds the pieces which were sent, for the host whose agents have that home. */
function portsFor(home: string, pieces: unknown[], crashPoint = (_: string): void => undefined): Ports {
  return {
    world: { ...realWorld(), crashPoint },
    conversations: {
      read: (_: unknown, id: string) => Promise.resolve(readConversation({ claude: home }, id)),
      bring: (_: unknown, files: Parameters<typeof bringConversation>[1]) =>
        Promise.resolve(bringConversation({ claude: home }, files)),
    },
    workspace: {
      upload: (order: { pieces: unknown[] }) => {
        pieces.push(...order.pieces);
        return Promise.resolve({ ref: "r", commit: "c", left: [], without: {} });
      },
      download: () => Promise.resolve({ worktree: EXAMPLES.WorktreeCreated, before: null, pieces }),
    },
  } as unknown as Ports;
}

async function sent(home: string, pieces: unknown[]) {
  const { project, tree } = EXAMPLES.WorktreeCreated;
  const effect: Extract<Effect, { kind: "UploadFiles" }> = {
    ...{ kind: "UploadFiles", epoch: 1, checkpoint: "c1", project, tree, others: [], previous: null },
    ...common,
    ...beside,
  };
  return moveFiles(portsFor(home, pieces), effect, { run: "run", key: "k" });
}

const fetching: Extract<Effect, { kind: "FetchFiles" }> = {
  ...{ kind: "FetchFiles", ref: "r", commit: "c", worktree: EXAMPLES.WorktreeCreated, checkpoints: [] },
  ...common,
  ...beside,
  ports: { from: 20_000, count: 10 },
};

test("F2 a conversation is put at the same path in its agent's folder, helpers included, without a line half written", async (t) => {
  const { one, two, read } = homes(t);
  const pieces: unknown[] = [];
  const outcome = await sent(one, pieces);
  assert.ok(outcome.kind === "done");
  assert.deepEqual(outcome.uploaded?.conversations, [{ step: "work", agent: "dev", id: ID }]);
  const brought = await moveFiles(portsFor(two, pieces), fetching, { run: "run", key: "k" });
  assert.ok(brought.kind === "done");
  assert.deepEqual(brought.fetched?.conversations, [{ step: "work", agent: "dev", id: ID }]);
  assert.equal(read(MAIN), '{"said":"hello"}\n');
  assert.equal(read(HELPER), '{"said":"help"}\n');
});

test("F2 J4 a host that is cut off while it brings a conversation is gone on with, and what stood there is kept", async (t) => {
  const { one, two, read, write } = homes(t);
  const pieces: unknown[] = [];
  await sent(one, pieces);
  write(MAIN, '{"said":"something else"}\n', two);
  const cut = (name: string): void => {
    assert.equal(name, "move.conversation.brought");
    throw new Error("cut off");
  };
  const under = { run: "run", key: "k" };
  await assert.rejects(moveFiles(portsFor(two, pieces, cut), fetching, under), /cut off/);
  const again = await moveFiles(portsFor(two, pieces), fetching, under);
  assert.equal(again.kind, "done");
  assert.equal(read(MAIN), '{"said":"hello"}\n');
  const aside = readdirSync(path.join(two, "projects/-tree")).filter((name) => name.includes(".before-"));
  assert.equal(aside.length, 1);
  assert.equal(read(`projects/-tree/${aside[0] ?? ""}`), '{"said":"something else"}\n');
});

test("F2 a conversation is not written outside of its agent's folder", (t) => {
  const { two } = homes(t);
  for (const at of ["../evil", "/tmp/evil", "projects/../../evil"])
    assert.equal(
      bringConversation({ claude: two }, [{ home: "claude", path: at, bytes: Buffer.from("x") }]),
      false,
    );
  assert.equal(
    bringConversation({}, [{ home: "claude", path: "projects/a", bytes: Buffer.from("x") }]),
    false,
  );
});
