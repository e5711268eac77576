import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { agentHomes } from "../../../src/agents/sandbox/agent-homes.ts";
import { lendLogins, returnLogins, syncLogins } from "../../../src/agents/sandbox/lent-logins.ts";
import { sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { waitFor } from "../contract/scene.ts";
import { noSandbox, SandboxStage } from "./sandbox-stage.ts";

const login = (token: string): string => JSON.stringify({ claudeAiOauth: { token }, account: "ada" });

function stageWithLogin(t: TestContext): { stage: SandboxStage; file: string } {
  const stage = new SandboxStage();
  t.after(() => stage.close());
  return { stage, file: stage.put("home/.claude/.credentials.json", login("first")) };
}

const RENEWALS = {
  "by a rename onto it": `echo '${login("second")}' > $L.new && mv $L.new $L`,
  "in its place": `echo '${login("second")}' > $L`,
  "by a new file": `rm $L && echo '${login("second")}' > $L`,
};

for (const [how, script] of Object.entries(RENEWALS))
  test(
    `P6 A6 a login that an agent in a sandbox renews ${how} is kept, and no copy of it is left`,
    { skip: noSandbox },
    async (t) => {
      const { stage, file } = stageWithLogin(t);
      const order = stage.order(`L=$HOME/.claude/.credentials.json; cat $L > seen; ${script}`);
      const { exit } = await stage.play(order);
      assert.deepEqual(exit, { kind: "exit", how: "code", code: 0 });
      assert.equal(readFileSync(path.join(stage.repo, "seen"), "utf8"), login("first"));
      assert.equal(readFileSync(file, "utf8").trim(), login("second"));
      const { folder } = sessionFolder(stage.sessions, order.session);
      assert.deepEqual(
        [existsSync(path.join(folder, "homes")), existsSync(path.join(folder, "logins.json"))],
        [false, false],
      );
    },
  );

const SPOILED = {
  "is removed": "rm $L",
  "is empty": ": > $L",
  "is no JSON": "echo evil > $L",
  "is without what it had": "echo '{\"other\":1}' > $L",
  "is a link to another file": "rm $L; ln -s /etc/passwd $L",
  "is a pipe": "rm $L; mkfifo $L",
  "is a folder": "rm $L; mkdir $L",
  "is too large": `{ printf '{"claudeAiOauth":1,"account":"'; head -c 2000000 /dev/zero | tr '\\0' x; printf '"}'; } > $L`,
};

test("P6 what is no login any more is not brought back from a sandbox", { skip: noSandbox }, async (t) => {
  const { stage, file } = stageWithLogin(t);
  for (const [how, script] of Object.entries(SPOILED)) {
    await stage.play(stage.order(`L=$HOME/.claude/.credentials.json; ${script}; exit 0`));
    assert.equal(readFileSync(file, "utf8"), login("first"), how);
  }
});

test(
  "P6 A6 a login that one agent renews reaches another that is at work in a sandbox, while both are",
  { skip: noSandbox },
  async (t) => {
    const { stage, file } = stageWithLogin(t);
    const line = `echo '{"type":"system","subtype":"init","session_id":"s"}'`;
    const waits = `while ! grep -q second $HOME/.claude/.credentials.json; do ${line}; sleep 0.1; done`;
    const renews = `L=$HOME/.claude/.credentials.json; echo '${login("second")}' > $L.new; mv $L.new $L; ${line}; while ! test -e over; do sleep 0.1; done`;
    const [one, two] = [stage.order(waits), stage.order(renews)];
    await stage.start(one);
    const first = stage.receive(one);
    await stage.start(two);
    const second = stage.receive(two);
    await waitFor(() => readFileSync(file, "utf8").includes("second") || undefined);
    assert.deepEqual((await first).exit, { kind: "exit", how: "code", code: 0 });
    writeFileSync(path.join(stage.repo, "over"), "");
    await second;
    assert.equal(readFileSync(file, "utf8").trim(), login("second"));
  },
);

test("P6 A6 a crash at any step of bringing a login back leaves it whole, and the next try finishes", (t) => {
  const { stage, file } = stageWithLogin(t);
  const homes = agentHomes(["claude"], { HOME: stage.home });
  const session = path.join(stage.sessions, "crashed");
  const copy = path.join(session, "homes/agent-0/.credentials.json");
  const record = path.join(session, "logins.json");
  const begin = (): void => {
    rmSync(session, { recursive: true, force: true });
    mkdirSync(session);
    writeFileSync(file, login("first"));
    lendLogins(session, homes);
    writeFileSync(copy, login("second"));
  };
  begin();
  const before = readFileSync(record, "utf8");
  // The login was replaced, and its record was not.
  syncLogins(session);
  writeFileSync(record, before);
  syncLogins(session);
  assert.deepEqual(
    [readFileSync(file, "utf8"), readFileSync(copy, "utf8")],
    [login("second"), login("second")],
  );
  // The copies were removed, and their record was not.
  rmSync(path.join(session, "homes"), { recursive: true });
  returnLogins(session);
  assert.deepEqual([readFileSync(file, "utf8"), existsSync(record)], [login("second"), false]);
  // A start that is repeated does not undo what was renewed.
  begin();
  lendLogins(session, homes);
  returnLogins(session);
  assert.equal(readFileSync(file, "utf8"), login("second"));
});
