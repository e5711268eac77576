import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startPostgres, type PostgresServer } from "../../postgres-server.ts";
import { imageDifferences, treeImage } from "../../workspace/tree-image.ts";
import { Fleet, noHosts, until, type FleetHost } from "./fleet-hosts.ts";
import { takesTurns } from "../../turns.ts";

const { after, before, test } = takesTurns(0);

const skip = noHosts();
let server: PostgresServer;
let fleet: Fleet;

/** As Claude Code keeps its conversations; it works for good only in a conversation that it finds. */
const AGENT = `
while [ $# -gt 0 ]; do
  case "$1" in --session-id) id="$2"; shift ;; --resume) id="$2"; resumed=yes; shift ;; esac
  shift
done
folder="$CLAUDE_CONFIG_DIR/projects/tree"
mkdir -p "$folder"
printf '{"type":"system","subtype":"init","session_id":"%s"}\\n' "$id"
if [ -n "$resumed" ]; then
  test -s "$folder/$id.jsonl" || { echo "No conversation found with session ID: $id" >&2; exit 1; }
  echo '{"said":"goes on"}' >> "$folder/$id.jsonl"
  cat half > whole
  printf '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"%s"}\\n' "$id"
  exit 0
fi
echo '{"said":"begins"}' >> "$folder/$id.jsonl"
echo half > half
mkdir -p deep/er && head -c 100000 /dev/urandom > deep/er/bytes && chmod 640 deep/er/bytes
echo TOKEN=secret > .env
echo ignored > made.log
git add half && git commit -q -m "half of it"
echo changed >> AGENTS.txt
until false; do sleep 0.2; done
`;

const remote = (): string => path.join(fleet.root, "remote.git");

const filesOf = (): Record<string, string> => ({
  "AGENTS.txt": "be kind\n",
  ".gitignore": "*.log\n",
  "holdfast.yaml": JSON.stringify({
    workspace: { isolation: "run", remote: remote() },
    checkpoints: { everyMs: 1_000 },
    backoff: { baseMs: 1, capMs: 1 },
    agents: {
      dev: {
        use: "claude",
        sandbox: "none",
        command: ["sh", path.join(fleet.here, "agent.sh")],
        env: {
          CLAUDE_CONFIG_DIR: path.join(fleet.here, "claude"),
          GIT_AUTHOR_NAME: "a",
          GIT_AUTHOR_EMAIL: "a@example.invalid",
          GIT_COMMITTER_NAME: "a",
          GIT_COMMITTER_EMAIL: "a@example.invalid",
        },
      },
    },
  }),
});

const config = { lease: { ms: 10_000 }, supervisor: { scanMs: 200 } };

before(async () => {
  if (skip !== false) return;
  server = await startPostgres();
  fleet = await Fleet.on(server.url);
  execFileSync("git", ["init", "-q", "--bare", remote()]);
});
after(async () => {
  if (skip !== false) return;
  await fleet.close();
  await server.remove();
});

async function hostFor(name: string): Promise<FleetHost> {
  mkdirSync(path.join(fleet.root, name), { recursive: true });
  writeFileSync(path.join(fleet.root, name, "agent.sh"), AGENT);
  return fleet.host(name, { files: filesOf(), config });
}

async function treeOn(host: FleetHost, run: string): Promise<string> {
  const { worktree } = (await fleet.stateOf(run)).workspace;
  return worktree === null ? "" : worktree.tree.replace(fleet.here, host.folder);
}

const uploads = async (run: string): Promise<number> =>
  (await fleet.eventsOf(run)).filter(({ type }) => type === "FilesUploaded").length;

/** Begun on a host, and uploaded with all that its agent has done. */
async function begunOn(host: FleetHost, run: string): Promise<void> {
  const begun = await host.call(["run", "work", "--agent", "dev", "--id", run, "--detach"]);
  assert.equal(begun.code, 0, begun.stdout + begun.stderr);
  await until(`the work of ${run} has begun`, async () => {
    const tree = await treeOn(host, run);
    return (
      tree !== "" &&
      existsSync(path.join(tree, "AGENTS.txt")) &&
      readFileSync(path.join(tree, "AGENTS.txt"), "utf8").includes("changed")
    );
  });
}

async function uploadedSince(run: string): Promise<void> {
  const known = await uploads(run);
  // A checkpoint that was begun before may hold less.
  await until(`${run} is uploaded`, async () => (await uploads(run)) >= known + 2 || (await isSent(run)));
}

/** Nothing has changed since the last upload: no other is made. */
async function isSent(run: string): Promise<boolean> {
  const { upload, checkpoints } = await fleet.stateOf(run);
  const last = Object.keys(checkpoints).at(-1);
  return upload.last !== null && Number(last?.slice(1)) >= 4 && upload.last.effect.checkpoint === last;
}

const conversationOf = (host: FleetHost): string => {
  const folder = path.join(host.folder, "claude/projects/tree");
  const [name = ""] = existsSync(folder) ? readdirSync(folder) : [];
  return path.join(folder, name);
};

const isReported = (file: string): boolean => [".env", "made.log", "whole"].includes(file);

const refs = (): string => execFileSync("git", ["for-each-ref"], { cwd: remote(), encoding: "utf8" });

test(
  "F2 W2 a run whose host died goes on elsewhere with its files byte for byte and its conversation, is not charged, and its former host changes nothing of it",
  { skip, timeout: 300_000 },
  async () => {
    const one = await hostFor("one");
    const two = await hostFor("two");
    await begunOn(one, "moved");
    await uploadedSince("moved");
    await one.kill();
    const left = await treeOn(one, "moved");
    const image = treeImage(left, isReported);
    two.start(["up"]);
    await fleet.reaches("moved", "completed");
    const state = await fleet.stateOf("moved");
    assert.equal(state.claim.home?.name, "two");
    assert.deepEqual(imageDifferences(image, treeImage(await treeOn(two, "moved"), isReported)), []);
    assert.equal(readFileSync(path.join(await treeOn(two, "moved"), "whole"), "utf8"), "half\n");
    const [there, here] = [conversationOf(one), conversationOf(two)];
    assert.equal(path.relative(one.folder, there), path.relative(two.folder, here));
    assert.equal(readFileSync(here, "utf8"), `${readFileSync(there, "utf8")}{"said":"goes on"}\n`);
    const events = await fleet.eventsOf("moved");
    for (const { type, data } of events) if (type === "AttemptEnded") assert.equal(data.charged, false);
    const sent = events.findLast(({ type }) => type === "FilesUploaded");
    assert.ok(events.some(({ type, data }) => type === "RunMoved" && data.carried !== undefined));
    const first = events.find(({ type }) => type === "FilesUploaded");
    assert.ok(sent?.type === "FilesUploaded" && first !== undefined);
    const reported = events.flatMap(({ type, data }) => (type === "FilesUploaded" ? data.left.paths : []));
    assert.ok(reported.some(({ path: at, why }) => at === ".env" && why === "may hold secrets"));
    assert.ok(reported.some(({ path: at, why }) => at === "made.log" && why === "ignored by git"));

    await until("its last checkpoint is uploaded", async () => {
      const { upload, checkpoints, effects } = await fleet.stateOf("moved");
      const isLast = upload.last?.effect.checkpoint === Object.keys(checkpoints).at(-1);
      return isLast && !Object.values(effects).some(({ kind }) => kind === "UploadFiles");
    });
    const known = refs();
    await one.boot();
    one.start(["up"]);
    await until("the former host is up", async () => /one\s+up/.test((await two.call(["hosts"])).stdout));
    assert.equal(refs(), known);
    assert.equal((await fleet.stateOf("moved")).claim.home?.name, "two");
    assert.deepEqual(imageDifferences(image, treeImage(left, isReported)), []);
    await one.kill();
    await two.kill();
  },
);

test(
  "F2 J4 a host that is killed in the middle of an upload, and a remote that is away: blocked by name, then continued with the last upload that was acknowledged",
  { skip, timeout: 300_000 },
  async () => {
    const one = await hostFor("three");
    const two = await hostFor("four");
    const supervisor = one.start(["up"], { HOLDFAST_CRASH_AT: "workspace.upload.commits#10" });
    const ended = new Promise((resolve) => supervisor.once("exit", resolve));
    await begunOn(one, "cut");
    await ended;
    const { effects } = await fleet.stateOf("cut");
    assert.ok(Object.values(effects).some(({ kind }) => kind === "UploadFiles"));
    await one.kill();
    const acknowledged = (await fleet.stateOf("cut")).upload.last?.effect.checkpoint;
    renameSync(remote(), `${remote()}.away`);
    two.start(["up"]);
    await fleet.reaches("cut", "blocked");
    const { blocked, steps } = await fleet.stateOf("cut");
    assert.equal(blocked?.reason, "host_lost");
    assert.match(
      blocked.detail,
      /on three, which is gone, and their copy on \S+remote\.git could not be fetched to four/,
    );
    assert.deepEqual(
      Object.values(steps).map(({ charged }) => charged),
      [0],
    );
    renameSync(`${remote()}.away`, remote());
    await fleet.reaches("cut", "completed");
    const moved = (await fleet.eventsOf("cut")).find(({ type }) => type === "RunMoved");
    assert.ok(moved?.type === "RunMoved");
    assert.equal(moved.data.carried?.checkpoint, acknowledged);
  },
);
