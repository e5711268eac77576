import assert from "node:assert/strict";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ApiBench } from "../../api/api-bench.ts";
import { GuardStage } from "../../api/guard/guard-stage.ts";
import { processesWith } from "../../api/writes/written-store.ts";
import { seededSecrets } from "../../model/secret-samples.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";

const KNOWN = { GH_TOKEN: "no-shape-but-a-telling-name-81", DB_PASSWORD: 'korrekt "horse" battery 7' };
const STREAM_MS = 3_000;
/** Where an agent says each secret: its words, its tools and their results, its progress, its claim. */
const ACTS = [
  (text: string) => ({ do: "say", text }),
  (text: string) => ({ do: "tool", name: "Bash", args: text, result: text }),
  (text: string) => ({ do: "progress", text }),
];
const READS = [
  ...[
    "",
    "/events",
    "/logs",
    "/why",
    "/report",
    "/export",
    "/timeline",
    "/transcript",
    "/attempts",
    "/replay",
  ],
  ...["/steps", "/health", "/series", "/changes", "/checkpoints"],
].map((page) => `/api/v1/runs/told${page}`);
const LISTS = ["/runs", "/inbox", "/overview", "/config", "/doctor", "/incidents", "/deliveries", "/watch"];

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((file) => lstatSync(file).isFile());

/** Everything that the stream sends from the beginning until it has nothing more to say. */
async function streamed({ ready, token }: ApiBench): Promise<string> {
  const signal = AbortSignal.timeout(60_000);
  const response = await fetch(`${ready.url}/api/v1/stream?from=start`, {
    headers: { authorization: `Bearer ${token}` },
    signal,
  });
  const body: ReadableStream<Uint8Array> = response.body ?? assert.fail("the stream is answered");
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const next = await Promise.race([reader.read(), delay(STREAM_MS, null)]);
    if (next === null || next.done) break;
    text += decoder.decode(next.value, { stream: true });
  }
  await reader.cancel().catch(() => undefined);
  return text;
}

/** Secrets that an agent says are looked for in what the API answers, in its stream, and in the folder of state. */
async function secrets({ count }: Stage): Promise<Tried> {
  const samples = seededSecrets(2026).slice(0, count);
  const said = samples.map(({ value, around = (one: string) => one }) => around(value));
  const words = [...said, ...Object.values(KNOWN)];
  const acts = words.flatMap((text) => ACTS.map((act) => act(text)));
  const claim = { do: "claim", ok: true, text: words.join("\n") };
  const bench = new ApiBench({ "s.json": JSON.stringify({ attempts: [[...acts, claim]] }) });
  try {
    const order = ["run", "say them", "--agent", "demo:s.json", "--id", "told", "--in-place"];
    const ended = await bench.cli.call(order, { env: KNOWN });
    assert.equal(ended.code, 0, ended.stderr);
    await bench.serve([], KNOWN);
    const stream = await streamed(bench);
    assert.match(stream, /\[redacted: /, "the stream has what was said, without the secrets");
    const seen = new Map([["the stream", stream]]);
    for (const target of [...READS, ...LISTS.map((page) => `/api/v1${page}`)]) {
      const answer = await fetch(`${bench.ready.url}${target}`, {
        headers: { authorization: `Bearer ${bench.token}` },
      });
      assert.ok(answer.status < 500, `${target}: ${String(answer.status)}`);
      seen.set(target, await answer.text());
    }
    for (const file of filesUnder(bench.cli.home))
      if (!file.includes("-trees/")) seen.set(file, readFileSync(file, "utf8"));
    const hidden = [...samples.map(({ value }) => value), ...Object.values(KNOWN)];
    const succeeded = [...seen].flatMap(([where, text]) =>
      hidden.filter((value) => text.includes(value)).map((value) => `${value} stands in ${where}`),
    );
    return tried(seen.size * hidden.length, succeeded);
  } finally {
    await bench.close();
  }
}

/** Tokens and login codes, sent in every place where a client may put them, are looked for where they may be kept. */
async function tokens(): Promise<Tried> {
  const stage = new GuardStage();
  const { bench } = stage;
  try {
    await stage.open();
    const { token } = await bench.client.createToken({ body: { name: "leak", role: "admin" } });
    const { loginUrl } = await bench.client.createLogin({ body: {} });
    const code = new URL(loginUrl).pathname.split("/").at(-1) ?? "";
    const first = await fetch(loginUrl, { redirect: "manual" });
    const session = /=([^;]+)/.exec(first.headers.get("set-cookie") ?? "")?.[1] ?? "";
    assert.ok(session.length > 20, "a session was begun");
    const bearer: [string, string] = ["Authorization", `Bearer ${token}`];
    const targets = stage.routes.map(({ name }) => stage.requestFor(name));
    for (const { target, ...rest } of targets) {
      if (rest.method !== "GET" || target.endsWith("/stream")) continue;
      await stage.send({ ...rest, target: `${target}?token=${token}`, headers: [bearer] });
      await stage.send({ ...rest, target, headers: [bearer, ["Referer", `${stage.origin}/login/${code}`]] });
    }
    await stage.send({ target: `/api/v1/runs/${token}`, headers: [bearer, ["User-Agent", token]] });
    const succeeded: string[] = [];
    let looks = 0;
    for (const [name, secret] of Object.entries({ token, code, session, owner: bench.token })) {
      const files = filesUnder(bench.cli.root).filter((file) => file !== bench.ready.tokenFile);
      looks += files.length + 2;
      for (const file of files)
        if (readFileSync(file, "utf8").includes(secret)) succeeded.push(`the ${name} is in ${file}`);
      if (bench.process.stdout().includes(secret)) succeeded.push(`the ${name} is printed`);
      if (process.platform === "linux" && processesWith(secret) > 0)
        succeeded.push(`the ${name} is an argument or in an environment`);
    }
    const { headers } = await stage.send({ target: "/" });
    if (headers.get("referrer-policy") !== "no-referrer") succeeded.push("pages send where they came from");
    return tried(looks + 1, succeeded);
  } finally {
    await stage.close();
  }
}

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "T5", level: "any", promised: "prevented", count: { full: 1, short: 0 } },
    title: "tokens, login codes and sessions are looked for in files, arguments, environments and referrers",
    run: tokens,
  },
  {
    // test/cli/files/secrets.e2e.ts has them through every driver in `npm test`.
    ...{ threat: "T12", level: "any", promised: "prevented", count: { full: 60, short: 0 } },
    title:
      "secrets that an agent says are looked for in the answers of the API, its stream and the state folder",
    run: secrets,
  },
];
