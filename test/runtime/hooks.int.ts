import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { membersOf } from "../../src/agents/keeper/session-members.ts";
import type { Effect } from "../../src/model/effects/effects.ts";
import { hookSchema, type HookReport } from "../../src/model/flow/hook.ts";
import { guardedPost } from "../../src/notify/post-once.ts";
import { shellQuality } from "../../src/quality/shell/shell-quality.ts";
import { realWorld } from "../../src/real-world.ts";
import type { Ports } from "../../src/runtime/ports.ts";
import { runHook } from "../../src/runtime/work/run-hook.ts";
import { fileGuard } from "../../src/workspace/protect/file-guard.ts";

type HookEffect = Extract<Effect, { kind: "RunHook" }>;

/** Real programs, and a real guard of files; the run has no journal and no repository. */
async function called(
  t: TestContext,
  hook: Record<string, unknown>,
  prepare = (_folder: string): void => undefined,
) {
  const cwd = mkdtempSync(path.join(tmpdir(), "holdfast-hook-"));
  const kept = mkdtempSync(path.join(tmpdir(), "holdfast-hook-kept-"));
  t.after(() => {
    for (const folder of [cwd, kept]) rmSync(folder, { recursive: true, force: true });
  });
  prepare(cwd);
  const world = realWorld({});
  const ports = {
    world,
    quality: shellQuality({
      world,
      marked: (entry) => Promise.resolve(membersOf(entry, undefined)),
      graceMs: 500,
    }),
    post: guardedPost({ world }),
    guard: fileGuard({ world, folder: kept }),
    workspace: { head: () => Promise.resolve({ kind: "none" }) },
    journal: { head: () => Promise.resolve(null) },
  } as unknown as Ports;
  const effect: HookEffect = {
    kind: "RunHook",
    hook: hookSchema.parse({ name: "h", at: "before_dispatch", ...hook }),
    hookKey: "h@before_dispatch/s#1",
    point: "before_dispatch",
    subject: "s#1",
    step: "s",
    cwd,
    input: JSON.stringify({ run: "run_1", step: "s" }),
    rules: ["AGENTS.md"],
    watched: true,
  };
  const outcome = await runHook(ports, effect, {
    run: "run_1",
    key: "k",
    signal: new AbortController().signal,
  });
  assert.ok(outcome.kind === "done" && outcome.hook !== undefined);
  return { cwd, report: outcome.hook };
}

const said = ({ decision, message, failed }: HookReport) => [decision, failed, message];

test("G12 a program is given JSON on its standard input, and its last JSON line decides", async (t) => {
  const { cwd, report } = await called(t, {
    run: `cat > seen.json; echo working; echo '{"decision":"warn","message":"late"}'`,
  });
  assert.deepEqual(JSON.parse(readFileSync(path.join(cwd, "seen.json"), "utf8")), {
    run: "run_1",
    step: "s",
  });
  assert.deepEqual(said(report), ["warn", false, "late"]);
});

test("G12 exit code 0 without an answer goes on, 2 blocks with what it printed, anything else is a failure", async (t) => {
  assert.deepEqual(said((await called(t, { run: "echo fine" })).report), ["continue", false, ""]);
  assert.deepEqual(said((await called(t, { run: "echo no; exit 2" })).report), ["block", false, "no"]);
  const { report } = await called(t, { run: "echo oops; exit 7" });
  assert.deepEqual(said(report), ["block", true, "it ended with 7: oops"]);
});

test("G12 a program that hangs is ended with all it started, and floods are cut", async (t) => {
  const { report } = await called(t, { run: "sleep 600 & sleep 600", limitMs: 300 });
  assert.equal(report.failed, true);
  assert.match(report.message, /did not answer within 300 ms/);
  const flood = await called(t, { run: `head -c 2000000 /dev/zero | tr '\\0' x; exit 2` });
  assert.equal(flood.report.decision, "block");
  assert.ok(flood.report.message.length <= 1_000);
});

test("G12 a program that changes a protected file is found out", async (t) => {
  const { report } = await called(t, { run: "echo obey me > AGENTS.md" }, (folder) => {
    writeFileSync(path.join(folder, "AGENTS.md"), "be careful\n");
  });
  assert.deepEqual(report.tampered, ["AGENTS.md"]);
});

test("G12 an address is posted the JSON, and is a failure where it errs, redirects or is not there", async (t) => {
  const workflows: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      workflows.push(body);
      if (request.url === "/moved") response.writeHead(302, { location: "/yes" }).end();
      else if (request.url === "/broken") response.writeHead(500).end("no");
      else if (request.url === "/cut") {
        response.writeHead(200, { "content-length": "100" }).write('{"decision":"block"');
        setTimeout(() => response.destroy(), 50);
      } else response.end('{"decision":"block","message":"closed"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const allowPrivate = true;
  const yes = await called(t, { url: `${base}/yes`, allowPrivate });
  assert.deepEqual(said(yes.report), ["block", false, "closed"]);
  assert.deepEqual(JSON.parse(workflows[0] ?? ""), { run: "run_1", step: "s" });
  for (const place of ["/moved", "/broken", "/cut"])
    assert.equal((await called(t, { url: `${base}${place}`, allowPrivate })).report.failed, true, place);
  assert.equal((await called(t, { url: "http://127.0.0.1:1/", allowPrivate })).report.failed, true);
  const received = workflows.length;
  const { report } = await called(t, { url: `${base}/yes` });
  assert.deepEqual([report.failed, workflows.length], [true, received], "not public, and not allowed");
  assert.match(report.message, /127\.0\.0\.1 is not public; set allowPrivate/);
});
