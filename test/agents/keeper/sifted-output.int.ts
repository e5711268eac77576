import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { endSession } from "../../../src/agents/keeper/end-session.ts";
import { launchSession } from "../../../src/agents/keeper/launch-session.ts";
import { siftBy, startCopier } from "../../../src/agents/keeper/spool/sifting.ts";
import { readExitStatus, sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import { sessionMembers } from "../../../src/agents/keeper/session-members.ts";
import { redactor } from "../../../src/model/text/redact.ts";
import { siftTable } from "../../../src/model/text/sift-table.ts";
import { realWorld } from "../../../src/real-world.ts";
import { LOOK_ALIKES, seededSecrets } from "../../model/secret-samples.ts";
import { delay, waitFor } from "../contract/scene.ts";

const world = realWorld();
const PASSWORD = 'p@ss wörd/+"quoted"\\ 1911';
const PHRASE = "nine correct horses\nand a battery";
const KNOWN = [
  { name: "DB_PASSWORD", value: PASSWORD },
  { name: "PHRASE", value: PHRASE },
];
const SECRETS = seededSecrets(1911);

before(() => siftBy({ table: siftTable(KNOWN), redact: redactor(KNOWN) }));
after(() => siftBy({ table: "", redact: (text) => text }));

/** A module of Node as an agent; answers what its spools hold when it has ended. */
async function printed(t: TestContext, script: string, meanwhile?: (session: Session) => Promise<void>) {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-sifted-"));
  const session = sessionFolder(folder, "run.step.1");
  t.after(async () => {
    await endSession(world, session, 300);
    rmSync(folder, { recursive: true, force: true });
  });
  writeFileSync(path.join(folder, "agent.mjs"), `import { writeSync as put } from "node:fs";\n${script}`);
  const command = [process.execPath, path.join(folder, "agent.mjs")] as const;
  const started = await launchSession(world, { session, command, cwd: folder, order: {} });
  assert.equal(started.kind, "started");
  await meanwhile?.(session);
  assert.equal(await waitFor(() => readExitStatus(session), 60_000), 0);
  return { out: readFileSync(session.out, "utf8"), err: readFileSync(session.err, "utf8") };
}
type Session = ReturnType<typeof sessionFolder>;

const asJson = (value: unknown): string => JSON.stringify(value);

test("P5 none of 60 secrets of vendors gets into a spool, as text or as JSON, and its lines can be read as before", async (t) => {
  const texts = SECRETS.map(({ value, around = (one: string) => one }) => around(value));
  const { out, err } = await printed(
    t,
    `const texts = ${asJson(texts)};
for (const text of texts) {
  put(1, JSON.stringify({ text, inside: JSON.stringify({ stdout: "first\\n" + text + "\\nlast", colour: "\\x1b[32m" + text }) }) + "\\n");
  put(2, "plain " + text + "\\n");
  put(2, "\\x1b[1;38;5;231m" + text + "\\x1b[39m\\n");
}`,
  );
  for (const { name, value } of SECRETS) {
    assert.ok(!out.includes(value), `${name} is in out`);
    assert.ok(!out.includes(asJson(value).slice(1, -1)), `${name} is in out as JSON`);
    assert.ok(!err.includes(value), `${name} is in err`);
  }
  const lines = out.trimEnd().split("\n");
  assert.equal(lines.length, texts.length);
  for (const line of lines) {
    const { text, inside } = JSON.parse(line) as { text: string; inside: string };
    assert.match(text, /\[redacted: /);
    assert.match((JSON.parse(inside) as { stdout: string }).stdout, /^first\n.*\[redacted: .*\nlast$/s);
  }
});

test("P5 200 texts that only look like secrets are in the spool byte for byte, and so are bytes of any kind", async (t) => {
  const lines = LOOK_ALIKES.map((text) => asJson({ text }));
  const { out, err } = await printed(
    t,
    `for (const line of ${asJson(lines)}) put(1, line + "\\n");
put(2, Buffer.from(Array.from({ length: 4096 }, (_, at) => at % 256)));`,
  );
  assert.equal(out, `${lines.join("\n")}\n`);
  assert.equal(err, Buffer.from(Array.from({ length: 4096 }, (_, at) => at % 256)).toString("utf8"));
});

test("P5 a known value is removed in every form, also where it is written in two pieces, and before a long line ends", async (t) => {
  const bytes = Buffer.from(PASSWORD);
  const forms = [
    PASSWORD,
    encodeURIComponent(PASSWORD),
    asJson({ password: PASSWORD }),
    asJson(asJson({ password: PASSWORD })),
    Buffer.concat([Buffer.from("user:"), bytes, Buffer.from("!")]).toString("base64"),
    Buffer.concat([Buffer.from("xy"), bytes]).toString("base64url"),
    PHRASE,
    asJson({ phrase: PHRASE }),
  ];
  const { out } = await printed(
    t,
    `const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
for (const form of ${asJson(forms)}) {
  const text = Buffer.from("<" + form + ">\\n");
  for (let cut = 1; cut < text.length; cut += 5) {
    put(1, text.subarray(0, cut));
    await wait(3);
    put(1, text.subarray(cut));
  }
}
process.stdout.write("z".repeat(300_000));
process.stdout.write(${asJson(PASSWORD)} + "z".repeat(300_000));`,
  );
  for (const part of [
    PASSWORD,
    ...forms,
    "wörd",
    "w%C3%B6rd",
    "correct horses",
    bytes.toString("base64").slice(4, 28),
  ])
    assert.ok(!out.includes(part), part);
  assert.equal(out.split("z").length - 1, 600_000);
  assert.ok(out.endsWith("z".repeat(300_000)));
});

test("P5 a secret within an escape of JSON leaves a line that can be read", async (t) => {
  const lines = [`{"a":"\\nine correct horses\\nand a battery"}`, `{"a":"x\\\\${asJson(PASSWORD).slice(1)}}`];
  for (const line of lines) JSON.parse(line);
  const { out } = await printed(t, `for (const line of ${asJson(lines)}) put(1, line + "\\n");`);
  for (const line of out.trimEnd().split("\n")) assert.match(asJson(JSON.parse(line)), /redacted/);
});

test("P5 A2 a copier killed at any instant lets no secret through, and loses and doubles nothing else", async (t) => {
  const token = SECRETS.find(({ name }) => name === "github-token")?.value ?? "";
  assert.notEqual(token, "");
  let kills = 0;
  const { out } = await printed(
    t,
    `import { existsSync } from "node:fs";
const block = (at) => Array.from({ length: 200 }, (_, n) => "line " + (at * 200 + n) + " ${token} end\\n").join("");
for (let at = 0; !existsSync("enough") && at < 2_000; at += 1) put(1, block(at));`,
    async (session) => {
      for (; kills < 20 && readExitStatus(session) === undefined; startCopier(session)) {
        const rows = sessionMembers(session.mark, undefined);
        for (const { pid } of rows === "unknown" ? [] : rows)
          if (isCopier(pid)) {
            kills += 1;
            process.kill(pid, "SIGKILL");
          }
        await delay(5);
      }
      writeFileSync(path.join(path.dirname(session.folder), "enough"), "");
    },
  );
  assert.ok(kills >= 10, String(kills));
  assert.ok(!out.includes(token));
  const lines = out.trimEnd().split("\n");
  assert.equal(lines.length % 200, 0);
  for (const [at, line] of lines.entries())
    assert.match(line, new RegExp(`^line ${String(at)} (\\[redacted: [\\w-]{0,20}\\]?)? end$`));
});

function isCopier(pid: number): boolean {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, "latin1").endsWith("holdfast-copier\0");
  } catch {
    return false;
  }
}
