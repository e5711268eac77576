import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import { httpReceiver, type Received, type Receiver } from "../../notify/receiver.ts";
import { AGENTS } from "../agents.ts";
import { CliBench, isAlive } from "../cli-process.ts";
import { takesTurns } from "../../turns.ts";

const { test } = takesTurns(0);

const KEY = Buffer.from("an example key of thirty-two byte");
const SECRET = `whsec_${KEY.toString("base64")}`;
const LIMIT_MS = 400;
const FAILS = ["--agent", "function:agents.mjs#fails"];

const yaml = (channel: string): string =>
  [
    "supervisor: { idleExitMs: 300, scanMs: 100, stayForMs: 20000 }",
    "backoff: { baseMs: 1 }",
    "notify:",
    "  retryMs: 60",
    "  retryCapMs: 200",
    `  channels: { ops: ${channel} }`,
    "",
  ].join("\n");

const webhook = (port: number, more = ", allowPrivate: true"): string =>
  `{ use: webhook, url: "http://127.0.0.1:${String(port)}/hook", secretEnv: HOOK_SECRET, limitMs: ${String(LIMIT_MS)}${more} }`;

/** A bench of its own per test, with the secret where its supervisors find it. */
class OutboxBench extends CliBench {
  constructor(channel: string) {
    super({ "agents.mjs": AGENTS, "holdfast.yaml": yaml(channel) });
  }

  override start(...[args, options = {}]: Parameters<CliBench["start"]>): ReturnType<CliBench["start"]> {
    return super.start(args, { ...options, env: { HOOK_SECRET: SECRET, ...options.env } });
  }
}

async function withBench(channel: string, work: (bench: OutboxBench) => Promise<void>): Promise<void> {
  const bench = new OutboxBench(channel);
  try {
    await work(bench);
  } finally {
    await bench.close();
  }
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 30_000; !(await holds()); await delay(30))
    assert.ok(Date.now() < end, `never: ${what}`);
}

const say = (response: ServerResponse, status: number): void => void response.writeHead(status).end();

/** Each post is signed over its bytes, and all of them speak of one notice. */
function assertOneNotice(received: readonly Received[]): void {
  const ids = new Set(received.map(({ headers }) => headers["webhook-id"]));
  assert.equal(ids.size, 1, [...ids].join(", "));
  const workflows = [...new Set(received.map(({ body }) => body))];
  assert.equal(workflows.length, 1, `every try posts the same bytes: ${workflows.join("\n")}`);
  for (const { headers, body } of received) {
    const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
    const expected = createHmac("sha256", KEY).update(signed).digest("base64");
    assert.equal(headers["webhook-signature"], `v1,${expected}`);
  }
}

interface StatusDocument {
  readonly status: string;
  readonly undelivered: readonly { readonly state: string; readonly why: string }[];
}

const noSupervisorLeft = (bench: CliBench, pid: number): Promise<void> =>
  until(`supervisor ${String(pid)} of ${bench.home} ended`, () => !isAlive(pid));

const pidIn = (stdout: string): number => Number(/pid (\d+)/.exec(stdout)?.[1]);

test("O3 a receiver that fails once is notified again under the same id, signed, with a command that names the store", async () => {
  const receiver = await httpReceiver((response, _, count) => say(response, count === 1 ? 500 : 200));
  await withBench(webhook(receiver.port), async (bench) => {
    const store = `sqlite:${bench.cwd}/other runs.db`;
    const ended = await bench.call(["run", "it", ...FAILS, "--id", "told", "--store", store]);
    assert.equal(ended.code, 3, ended.stderr);
    await until("the second try", () => receiver.received.length >= 2);
    assertOneNotice(receiver.received);
    const { data } = JSON.parse(receiver.received[0]?.body ?? "") as {
      data: { command: string; run: string };
    };
    assert.equal(data.command, `holdfast retry told --step work --store '${store}'`);
    const reported = await bench.call(["down", "--store", store]);
    assert.equal(reported.code, 0, reported.stderr);
  });
  await receiver.close();
});

test("O3 no answer, a late answer and a broken one are tried again, while `run` in front ends at once and a supervisor goes on and ends by itself", async () => {
  const late: ServerResponse[] = [];
  const receiver = await httpReceiver((response, request, count) => {
    if (count === 1) return;
    if (count === 2) setTimeout(() => say(response, 200), LIMIT_MS * 3);
    else if (count === 3) request.socket.end("SMTP 999 what?\r\n\r\n");
    else if (count === 4) say(response, 302);
    else say(response, 204);
    late.push(response);
  });
  await withBench(webhook(receiver.port), async (bench) => {
    const ended = await bench.call(["run", "it", ...FAILS, "--id", "told"]);
    assert.equal(ended.code, 3, ended.stderr);
    await bench.receives("told", "answered 204");
    assert.ok(receiver.received.length >= 5);
    assertOneNotice(receiver.received);
    const { undelivered, status } = await bench.json<StatusDocument>(["status", "told"]);
    assert.deepEqual([status, undelivered], ["blocked", []]);
    // In front it may all have been done within the grace; otherwise somebody in the background did the rest.
    if (/notices? to deliver/.test(ended.stdout)) await noSupervisorLeft(bench, pidIn(ended.stdout));
    assert.equal(receiver.received.length, 5, "what has arrived is not sent again");
  });
  await receiver.close();
});

test("O3 a receiver that is away is shown by status and inbox, and notified by a supervisor in the background once it is back", async () => {
  const away = await httpReceiver((response) => say(response, 200));
  await away.close();
  let back: Receiver | null = null;
  await withBench(webhook(away.port), async (bench) => {
    const ended = await bench.call(["run", "it", ...FAILS, "--id", "told"]);
    assert.equal(ended.code, 3);
    assert.match(ended.stdout, /1 notice to deliver; a supervisor was started/);
    const { undelivered } = await bench.json<StatusDocument>(["status", "told"]);
    assert.equal(undelivered[0]?.state, "tried_again");
    assert.match(undelivered[0].why, /ECONNREFUSED/);
    assert.match((await bench.call(["inbox"])).stdout, /not yet delivered through ops, tried \d+ times?/);
    back = await httpReceiver((response) => say(response, 200), away.port);
    const { received } = back;
    await until("it arrives", () => received.length > 0);
    assertOneNotice(received);
    await noSupervisorLeft(bench, pidIn(ended.stdout));
    assert.deepEqual((await bench.json<StatusDocument>(["status", "told"])).undelivered, []);
  });
  await (back as Receiver | null)?.close();
});

for (const [point, posts] of [
  ["effect.Notify.before#1", 1],
  ["effect.Notify.after#1", 2],
] as const)
  test(`J4 O3 a supervisor killed at ${point} loses no notice: the next one sends it, under the same id`, async () => {
    const receiver = await httpReceiver((response) => say(response, 200));
    await withBench(webhook(receiver.port), async (bench) => {
      const killed = await bench.call(["run", "it", ...FAILS, "--id", "told"], {
        env: { HOLDFAST_CRASH_AT: point },
      });
      assert.equal(killed.signal, "SIGKILL", killed.stderr);
      const { supervisor } = await bench.json<{ supervisor: { pid: number } }>(["up", "--detach"]);
      await bench.receives("told", "answered 200");
      assert.equal(receiver.received.length, posts);
      assertOneNotice(receiver.received);
      await noSupervisorLeft(bench, supervisor.pid);
    });
    await receiver.close();
  });

test("O3 what is settled is not sent any more, and nobody stays for it; that the run has ended is sent", async () => {
  const isAway = { of: true };
  const receiver = await httpReceiver((response) => say(response, isAway.of ? 503 : 200));
  const about = (kind: string): Received[] =>
    receiver.received.filter(
      ({ body }) => (JSON.parse(body) as { type: string }).type === `holdfast.${kind}`,
    );
  await withBench(webhook(receiver.port), async (bench) => {
    const ended = await bench.call(["run", "it", ...FAILS, "--id", "told"]);
    assert.match(ended.stdout, /notices? to deliver/);
    await until("some tries", () => receiver.received.length >= 3);
    assert.equal((await bench.call(["cancel", "told"])).code, 0);
    await bench.receives("told", "what it was about is settled");
    isAway.of = false;
    await until("its end is sent", () => about("ended").length > 0);
    await noSupervisorLeft(bench, pidIn(ended.stdout));
    const tries = receiver.received.length;
    await bench.call(["status", "told"]);
    assert.equal(receiver.received.length, tries);
    assertOneNotice(about("escalation"));
    assertOneNotice(about("ended"));
    assert.match(about("ended")[0]?.body ?? "", /"title":"told cancelled"/);
  });
  await receiver.close();
});

test("O3 an address in this machine is refused unless it is allowed, and status and inbox say that nobody was notified", async () => {
  const receiver = await httpReceiver((response) => say(response, 200));
  await withBench(webhook(receiver.port, ""), async (bench) => {
    const ended = await bench.call(["run", "it", ...FAILS, "--id", "told"]);
    assert.equal(ended.code, 3);
    assert.doesNotMatch(ended.stdout, /notices? to deliver/);
    const { undelivered } = await bench.json<StatusDocument>(["status", "told"]);
    assert.equal(undelivered[0]?.state, "given_up");
    assert.match(undelivered[0].why, /127\.0\.0\.1 is not public; set allowPrivate/);
    for (const command of [["status", "told"], ["inbox"]])
      assert.match((await bench.call(command)).stdout, /no notice was delivered through ops: .*not public/);
    assert.equal(receiver.received.length, 0);
  });
  await receiver.close();
});

const MAIL = `import { appendFileSync, existsSync, readFileSync } from "node:fs";
const notice = readFileSync(0, "utf8");
const first = !existsSync("mail.log");
appendFileSync("mail.log", notice);
process.exit(first ? 75 : 0);
`;

test("O3 a command that fails is called again with the same notice", async () => {
  await withBench(
    `{ use: command, command: [${JSON.stringify(process.execPath)}, mail.mjs] }`,
    async (bench) => {
      bench.write("mail.mjs", MAIL);
      const ended = await bench.call(["run", "it", ...FAILS, "--id", "told"]);
      assert.equal(ended.code, 3, ended.stderr);
      await bench.receives("told", "exited with 0");
      const lines = readFileSync(`${bench.cwd}/mail.log`, "utf8").trim().split("\n");
      assert.equal(lines.length, 2);
      assert.equal(lines[0], lines[1]);
      assert.match(lines[0] ?? "", /holdfast retry told --step work/);
    },
  );
});
