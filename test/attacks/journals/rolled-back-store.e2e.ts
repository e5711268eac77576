import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CliBench, type Ended } from "../../cli/cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { after, test } = takesTurns(4);

/** A store is put back with all that is beside it; its anchor, in another folder, is not. */
const bench = new CliBench({
  "script.json": JSON.stringify({ attempts: [[{ do: "claim", ok: true, text: "done" }]] }),
  "holdfast.yaml": "agents: { dev: { use: demo, script: script.json } }\nsupervisor: { idleExitMs: 300 }\n",
});
after(() => bench.close());
const anchors = path.join(bench.root, "anchors");
const env = { HOLDFAST_ANCHOR: anchors };
const copy = path.join(bench.root, "copy");

const call = (...args: string[]): Promise<Ended> => bench.call(args, { env });
const run = (id: string): Promise<Ended> => call("run", "do it", "--agent", "dev", "--id", id);

test("A5 T17 a store that was put back to an older copy with everything beside it is refused by name, and goes on when that is accepted on record", async () => {
  assert.equal((await run("first")).code, 0);
  cpSync(bench.home, copy, { recursive: true });
  assert.equal((await run("second")).code, 0);
  const [anchor = ""] = readdirSync(anchors);
  assert.match(readFileSync(path.join(anchors, anchor), "utf8"), /"run":"second"/);
  assert.equal((await call("verify")).code, 0);

  rmSync(bench.home, { recursive: true });
  cpSync(copy, bench.home, { recursive: true });
  for (const words of [["status", "first"], ["runs"], ["verify"], ["run", "more", "--agent", "dev"]]) {
    const refused = await call(...words);
    assert.equal(refused.code, 6, words.join(" ") + refused.stdout + refused.stderr);
    assert.match(
      refused.stderr,
      /is older than its anchor .*second had event \d+ .* is not there.*--accept-rollback/,
    );
  }
  const doctor = await call("doctor");
  assert.match(doctor.stdout, /FAIL {2}store: .*older than its anchor/);
  const agent = await bench.call(["verify", "--accept-rollback"], {
    env: { ...env, HOLDFAST_ATTEMPT: "build#1" },
  });
  assert.equal(agent.code, 5, agent.stdout);

  const accepted = await call("verify", "--accept-rollback");
  assert.equal(accepted.code, 0, accepted.stderr);
  assert.match(accepted.stdout, /second: ends at event 0/);
  assert.match((await call("events", "store:all", "--json")).stdout, /"RollbackAccepted".*"second"/);
  assert.equal((await run("third")).code, 0);
  assert.equal((await call("verify")).code, 0);
});

test("A5 T17 the middle of a run cut off, a run deleted and another history in its place are found with their position", async () => {
  const [anchor = ""] = readdirSync(anchors);
  const file = path.join(anchors, anchor);
  const honest = readFileSync(file, "utf8");
  const changed = (change: (head: { run: string; seq: number; hash: string }) => void): string => {
    const read = JSON.parse(honest) as { heads: { run: string; seq: number; hash: string }[] };
    for (const head of read.heads) if (head.run === "third") change(head);
    return JSON.stringify(read);
  };
  const attacks: Readonly<Record<string, [string, RegExp]>> = {
    "fewer events": [
      changed((head) => (head.seq += 5)),
      /third had event \d+ \([0-9a-f]{12}\), and ends at event \d+/,
    ],
    "another history": [
      changed((head) => (head.hash = "0".repeat(64))),
      /event \d+ of third was 000000000000, and is another/,
    ],
    "no such run": [changed((head) => (head.run = "fourth")), /fourth had event \d+ .* is not there/],
    "an anchor that is no anchor": ["{", /cannot be read/],
  };
  for (const [name, [text, expected]] of Object.entries(attacks)) {
    writeFileSync(file, text);
    const refused = await call("runs");
    assert.equal(refused.code, 6, `${name}: ${refused.stdout}${refused.stderr}`);
    assert.match(refused.stderr, expected, name);
  }
  writeFileSync(file, honest);
  assert.equal((await call("runs")).code, 0);
});

test("A5 T17 the anchor is never ahead of the store, wherever the process that writes it is killed, and archived runs are not missed", async () => {
  for (const point of ["anchor.write.before#1", "anchor.write.after#1", "journal.append.after#3"]) {
    const id = `killed-${point.replaceAll(/\W/g, "-")}`;
    await bench.call(["run", "do it", "--agent", "dev", "--id", id], {
      env: { ...env, HOLDFAST_CRASH_AT: point },
    });
    const looked = await call("verify");
    assert.equal(looked.code, 0, `${point}: ${looked.stderr}`);
  }
  const folder = path.join(bench.root, "archive");
  mkdirSync(folder);
  const archived = await call("archive", "--older-than", "0d", "--to", folder);
  assert.equal(archived.code, 0, archived.stderr);
  assert.equal((await call("verify")).code, 0);
  assert.ok(existsSync(bench.store));
});
