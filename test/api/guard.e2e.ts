import assert from "node:assert/strict";
import { statSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { API_PREFIX, ROUTE_PATHS, type RouteName } from "../../src/api/routes/route-paths.ts";
import { ROUTES } from "../../src/api/routes/route-table.ts";
import type { AnyRoute } from "../../src/api/routes/define-route.ts";
import { ApiBench, type Answered } from "./api-bench.ts";

const bench = new ApiBench();
const routes: readonly AnyRoute[] = ROUTES;
let viewer = "";
let cookie = "";
let before0 = "";

const journal = async (): Promise<string> => JSON.stringify(await bench.cli.eventsOf("hello"));

before(async () => {
  const ended = await bench.cli.call(["run", "say hello", "--agent", "demo", "--id", "hello", "--in-place"]);
  assert.equal(ended.code, 0, ended.stderr);
  await bench.serve();
  ({ token: viewer } = await bench.cli.json<{ token: string }>([
    "token",
    "create",
    "wall",
    "--role",
    "viewer",
  ]));
  cookie = (await login()).headers.get("set-cookie")?.split(";")[0] ?? "";
  before0 = await journal();
});
after(() => bench.close());

interface Sent {
  readonly method?: string;
  readonly target: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
}

function send({ method = "GET", target, headers = [], body = "" }: Sent): Promise<Answered> {
  const all = [["Host", `127.0.0.1:${String(bench.port)}`], ...headers].filter(
    ([name], at, list) => name !== "Host" || at === list.findLastIndex(([other]) => other === "Host"),
  );
  const lines = all.map(([name = "", value = ""]) => `${name}: ${value}`);
  const length = method === "POST" ? [`Content-Length: ${String(Buffer.byteLength(body))}`] : [];
  return bench.raw(
    [
      `${method} ${target} HTTP/1.1`,
      ...lines,
      ...length,
      "Connection: close",
      "",
      method === "POST" ? body : "",
    ].join("\r\n"),
  );
}

async function login(): Promise<Answered> {
  const { loginUrl } = await bench.client.createLogin({ body: {} });
  return send({ target: new URL(loginUrl).pathname });
}

const targetOf = (name: RouteName): string =>
  API_PREFIX + ROUTE_PATHS[name][1].replace("{run}", "hello").replaceAll(/\{\w+\}/g, "x");
const bearer = (): [string, string] => ["Authorization", `Bearer ${bench.token}`];
const JSON_TYPE: [string, string] = ["Content-Type", "application/json"];
const origin = (): string => `http://127.0.0.1:${String(bench.port)}`;

/** Each answers how an attack is refused; a 2xx would be one that succeeded. */
type Attack = (route: AnyRoute, base: Sent) => Promise<Answered>;

const more = (base: Sent, headers: Sent["headers"] = [], body = base.body ?? "{}"): Sent => ({
  ...base,
  headers,
  body,
});

const ATTACKS: Readonly<
  Record<string, { readonly on: "all" | "writes"; readonly play: Attack; readonly expect: readonly number[] }>
> = {
  "no token": { on: "all", expect: [401], play: (_, base) => send(more(base, [JSON_TYPE])) },
  "a wrong token": {
    on: "all",
    expect: [401, 429],
    play: (_, base) => send(more(base, [JSON_TYPE, ["Authorization", "Bearer hf_wrong"]])),
  },
  "a wrong cookie": {
    on: "all",
    expect: [401, 429],
    play: (_, base) => send(more(base, [JSON_TYPE, ["Cookie", `${cookie}x`], ["Origin", origin()]])),
  },
  "a token in the query": {
    on: "all",
    expect: [401],
    play: (_, base) =>
      send(
        more({ ...base, target: `${base.target}?token=${bench.token}&access_token=${bench.token}` }, [
          JSON_TYPE,
        ]),
      ),
  },
  "a foreign Host": {
    on: "all",
    expect: [421],
    play: (_, base) => send(more(base, [bearer(), JSON_TYPE, ["Host", `evil.test:${String(bench.port)}`]])),
  },
  "a foreign Origin": {
    on: "all",
    expect: [403],
    play: (_, base) => send(more(base, [bearer(), JSON_TYPE, ["Origin", "https://evil.test"]])),
  },
  "the Origin null": {
    on: "all",
    expect: [403],
    play: (_, base) => send(more(base, [bearer(), JSON_TYPE, ["Origin", "null"]])),
  },
  "another port as Origin": {
    on: "all",
    expect: [403],
    play: (_, base) => send(more(base, [["Cookie", cookie], JSON_TYPE, ["Origin", "http://127.0.0.1:1"]])),
  },
  "a cross-site read by cookie": {
    on: "all",
    expect: [403],
    play: (_, base) => send(more(base, [["Cookie", cookie], JSON_TYPE, ["Sec-Fetch-Site", "cross-site"]])),
  },
  "a same-site read by cookie": {
    on: "all",
    expect: [403],
    play: (_, base) => send(more(base, [["Cookie", cookie], JSON_TYPE, ["Sec-Fetch-Site", "same-site"]])),
  },
  "a cookie without Origin": {
    on: "all",
    expect: [403],
    play: (_, base) => send(more(base, [["Cookie", cookie], JSON_TYPE])),
  },
  "a write by cookie with Sec-Fetch-Site alone": {
    on: "writes",
    expect: [403],
    play: (_, base) => send(more(base, [["Cookie", cookie], JSON_TYPE, ["Sec-Fetch-Site", "same-origin"]])),
  },
  "a form": {
    on: "writes",
    expect: [415],
    play: (_, base) =>
      send(more(base, [bearer(), ["Content-Type", "application/x-www-form-urlencoded"]], "kind=pause")),
  },
  multipart: {
    on: "writes",
    expect: [415],
    play: (_, base) =>
      send(more(base, [bearer(), ["Content-Type", "multipart/form-data; boundary=x"]], "--x--")),
  },
  "text/plain": {
    on: "writes",
    expect: [415],
    play: (_, base) => send(more(base, [bearer(), ["Content-Type", "text/plain"]])),
  },
  "no content type": { on: "writes", expect: [415], play: (_, base) => send(more(base, [bearer()])) },
  "a form by cookie": {
    on: "writes",
    expect: [415],
    play: (_, base) =>
      send(
        more(base, [
          ["Cookie", cookie],
          ["Origin", origin()],
          ["Content-Type", "text/plain"],
        ]),
      ),
  },
  "an oversized body": {
    on: "writes",
    expect: [413],
    play: (route, base) =>
      bench.raw(
        [
          `POST ${base.target} HTTP/1.1`,
          `Host: 127.0.0.1:${String(bench.port)}`,
          bearer().join(": "),
          JSON_TYPE.join(": "),
          `Content-Length: ${String(route.bodyBytesMax + 1)}`,
          "",
          "{",
        ].join("\r\n"),
      ),
  },
};

test(
  "O8 every route refuses every attack of the matrix, and no journal changes",
  { timeout: 300_000 },
  async () => {
    let played = 0;
    const succeeded: string[] = [];
    for (const route of routes.filter(({ role }) => role !== null)) {
      const [method] = ROUTE_PATHS[route.name];
      for (const [name, { on, play, expect }] of Object.entries(ATTACKS)) {
        if (on === "writes" && !route.isWrite) continue;
        const { status, headers } = await play(route, { method, target: targetOf(route.name) });
        played += 1;
        if (!expect.includes(status)) succeeded.push(`${route.name}: ${name}: ${String(status)}`);
        assert.match(
          headers.get("content-security-policy") ?? "",
          /default-src 'none'.*frame-ancestors 'none'/,
        );
        assert.equal(headers.get("x-content-type-options"), "nosniff");
        assert.equal(headers.get("referrer-policy"), "no-referrer");
        assert.ok(![...headers.keys()].some((one) => one.startsWith("access-control-")), "no CORS");
      }
    }
    assert.deepEqual(succeeded, []);
    assert.ok(played > 600, `${String(played)} attacks were played`);
    assert.ok((await journal()) === before0, "the journal is as it was");
  },
);

test("O8 a role that does not suffice is refused on every route that needs more", async () => {
  for (const route of routes) {
    if (route.role === null || route.role === "viewer") continue;
    const [method] = ROUTE_PATHS[route.name];
    const { status, body } = await send({
      method,
      target: targetOf(route.name),
      headers: [["Authorization", `Bearer ${viewer}`], JSON_TYPE],
      body: "{}",
    });
    assert.equal(status, 403, route.name);
    assert.equal((JSON.parse(body) as { code: string }).code, "forbidden");
  }
  assert.ok((await journal()) === before0, "the journal is as it was");
});

test("O8 no other spelling of the host is answered, on any route", async () => {
  const port = String(bench.port);
  const spellings = [
    "evil.com",
    `evil.com:${port}`,
    `127.0.0.1.evil:${port}`,
    `[::1]:${port}`,
    `localhost.:${port}`,
    `0.0.0.0:${port}`,
    `127.1:${port}`,
    `LOCALHOST:${port}`,
    "127.0.0.1",
    "127.0.0.1:1",
    "",
  ];
  for (const route of routes) {
    const [method] = ROUTE_PATHS[route.name];
    for (const host of spellings) {
      const { status } = await send({
        method,
        target: targetOf(route.name),
        headers: [bearer(), JSON_TYPE, ["Host", host]],
        body: "{}",
      });
      assert.equal(status, 421, `${route.name} with Host: ${host}`);
    }
  }
  const two = await bench.raw(
    `GET /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil.com\r\nConnection: close\r\n\r\n`,
  );
  assert.ok(two.status === 421 || two.status === 400, String(two.status));
  const absolute = await bench.raw(
    `GET http://evil.com/api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${bearer().join(": ")}\r\nConnection: close\r\n\r\n`,
  );
  assert.equal(absolute.status, 421);
  const absent = await bench.raw(
    `GET /api/v1/runs HTTP/1.1\r\n${bearer().join(": ")}\r\nConnection: close\r\n\r\n`,
  );
  assert.equal(absent.status, 421);
});

test("O8 every read leaves every journal as it was", async () => {
  for (const route of routes) {
    if (route.isWrite || route.sends === "stream") continue;
    const query =
      route.name === "diffRuns" ? "?a=hello&b=hello" : route.name === "waitRun" ? "?timeout=100ms" : "";
    const { status } = await send({ target: targetOf(route.name) + query, headers: [bearer()] });
    assert.ok([200, 400, 404, 409].includes(status), `${route.name}: ${String(status)}`);
  }
  assert.ok((await journal()) === before0, "the journal is as it was");
});

test("O8 a login URL begins one session, which reads and writes as a page does, and ends with its token", async () => {
  const { loginUrl } = await bench.client.createLogin({ body: {} });
  const target = new URL(loginUrl).pathname;
  const first = await send({ target });
  assert.equal(first.status, 303);
  const set = first.headers.get("set-cookie") ?? "";
  assert.match(set, /HttpOnly; SameSite=Strict/);
  const replayed = (await send({ target })).status;
  assert.ok(replayed === 401 || replayed === 429, `the login URL is good once: ${String(replayed)}`);
  const own = ["Cookie", set.split(";")[0] ?? ""] as const;
  assert.equal(
    (await send({ target: "/api/v1/me", headers: [own, ["Sec-Fetch-Site", "same-origin"]] })).status,
    200,
  );
  const asked = await send({
    method: "POST",
    target: "/api/v1/runs/hello/requests",
    headers: [own, ["Origin", origin()], JSON_TYPE],
    body: '{"kind":"pause"}',
  });
  assert.equal(asked.status, 409, "admitted, and refused by the state of the run");
  const out = await send({
    method: "POST",
    target: "/api/v1/logout",
    headers: [own, ["Origin", origin()], JSON_TYPE],
    body: "{}",
  });
  assert.equal(out.status, 200);
  const { status } = await send({
    target: "/api/v1/me",
    headers: [own, ["Sec-Fetch-Site", "same-origin"]],
  });
  assert.ok(status === 401 || status === 429, `${String(status)}: refused, or slowed down beside others`);
});

test("O8 the token, the socket and what names them are their owner's alone, and the token stands in no argument, log or journal", async () => {
  for (const file of [
    bench.ready.tokenFile,
    bench.ready.socket,
    path.join(bench.cli.home, "api.json"),
    path.join(bench.cli.home, "api", "tokens.json"),
    path.join(bench.cli.home, "api", "sessions.json"),
  ])
    assert.equal(statSync(file).mode & 0o777, 0o600, file);
  assert.equal(statSync(path.join(bench.cli.home, "api")).mode & 0o777, 0o700);
  assert.ok(!bench.process.stdout().includes(bench.token));
  assert.ok(!(await journal()).includes(bench.token));
});

test("O8 another address than loopback is refused without TLS and a named token", async () => {
  const bare = await bench.cli.call(["serve", "--listen", "0.0.0.0:0"]);
  assert.equal(bare.code, 2, bare.stderr);
  assert.match(bare.stderr, /--tls-cert FILE --tls-key FILE/);
});

test("O8 P3 a write that names an agent is refused, whatever it calls itself, and asks nothing", async () => {
  const standing = await journal();
  for (const name of ["hello work%231", "- x", "%", "%E0%A4%A", "a".repeat(1_000)]) {
    const { status, body } = await send({
      method: "POST",
      target: "/api/v1/runs/hello/requests",
      headers: [bearer(), ["Content-Type", "application/json"], ["holdfast-agent", name]],
      body: '{"kind":"reopen"}',
    });
    assert.equal(status, 409, body);
    assert.match(body, /is an agent; agents ask nothing through the API/);
  }
  assert.equal(await journal(), standing);
});

test("O8 anybody may ask whether the server lives, and learns nothing else", async () => {
  const { status, body } = await send({ target: "/api/v1/health" });
  assert.deepEqual([status, body], [200, '{"alive":true}\n']);
});
