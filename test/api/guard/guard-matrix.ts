import { JSON_TYPE, type GuardStage, type Sent } from "./guard-stage.ts";
import type { AnyRoute } from "../../../src/api/routes/define-route.ts";
import type { Answered } from "../api-bench.ts";

interface Played {
  readonly stage: GuardStage;
  readonly route: AnyRoute;
  /** The request as its route would accept it, without a token. */
  readonly base: Sent;
}

/** A request that the guard refuses on every route, or on every write; a 2xx would be an attack that succeeded. */
interface GuardAttack {
  /** The threat that it belongs to, as in test/attacks/threats.ts. */
  readonly threat: "T1" | "T2" | "T3" | "T5";
  readonly on: "all" | "writes" | "above viewer";
  readonly expect: readonly number[];
  readonly play: (played: Played) => Promise<Answered>;
}

const more = (base: Sent, headers: Sent["headers"] = [], body = base.body ?? "{}"): Sent => ({
  ...base,
  headers,
  body,
});

export const GUARD_ATTACKS: Readonly<Record<string, GuardAttack>> = {
  "no token": {
    threat: "T3",
    on: "all",
    expect: [401],
    play: ({ stage, base }) => stage.send(more(base, [JSON_TYPE])),
  },
  "a wrong token": {
    threat: "T3",
    on: "all",
    expect: [401, 429],
    play: ({ stage, base }) => stage.send(more(base, [JSON_TYPE, ["Authorization", "Bearer hf_wrong"]])),
  },
  "a wrong cookie": {
    threat: "T3",
    on: "all",
    expect: [401, 429],
    play: ({ stage, base }) =>
      stage.send(more(base, [JSON_TYPE, ["Cookie", `${stage.cookie}x`], ["Origin", stage.origin]])),
  },
  "a token in the query": {
    threat: "T5",
    on: "all",
    expect: [401],
    play: ({ stage, base }) =>
      stage.send(
        more(
          { ...base, target: `${base.target}?token=${stage.bench.token}&access_token=${stage.bench.token}` },
          [JSON_TYPE],
        ),
      ),
  },
  "a token whose role does not suffice": {
    threat: "T3",
    on: "above viewer",
    expect: [403],
    play: ({ stage, base }) =>
      stage.send(more(base, [["Authorization", `Bearer ${stage.viewer}`], JSON_TYPE])),
  },
  "a foreign Host": {
    threat: "T1",
    on: "all",
    expect: [421],
    play: ({ stage, base }) =>
      stage.send(more(base, [stage.bearer, JSON_TYPE, ["Host", `evil.test:${String(stage.bench.port)}`]])),
  },
  "a foreign Origin": {
    threat: "T2",
    on: "all",
    expect: [403],
    play: ({ stage, base }) =>
      stage.send(more(base, [stage.bearer, JSON_TYPE, ["Origin", "https://evil.test"]])),
  },
  "the Origin null": {
    threat: "T2",
    on: "all",
    expect: [403],
    play: ({ stage, base }) => stage.send(more(base, [stage.bearer, JSON_TYPE, ["Origin", "null"]])),
  },
  "another port as Origin": {
    threat: "T2",
    on: "all",
    expect: [403],
    play: ({ stage, base }) =>
      stage.send(more(base, [["Cookie", stage.cookie], JSON_TYPE, ["Origin", "http://127.0.0.1:1"]])),
  },
  "a cross-site read by cookie": {
    threat: "T2",
    on: "all",
    expect: [403],
    play: ({ stage, base }) =>
      stage.send(more(base, [["Cookie", stage.cookie], JSON_TYPE, ["Sec-Fetch-Site", "cross-site"]])),
  },
  "a same-site read by cookie": {
    threat: "T2",
    on: "all",
    expect: [403],
    play: ({ stage, base }) =>
      stage.send(more(base, [["Cookie", stage.cookie], JSON_TYPE, ["Sec-Fetch-Site", "same-site"]])),
  },
  "a cookie without Origin": {
    threat: "T2",
    on: "all",
    expect: [403],
    play: ({ stage, base }) => stage.send(more(base, [["Cookie", stage.cookie], JSON_TYPE])),
  },
  "a write by cookie with Sec-Fetch-Site alone": {
    threat: "T2",
    on: "writes",
    expect: [403],
    play: ({ stage, base }) =>
      stage.send(more(base, [["Cookie", stage.cookie], JSON_TYPE, ["Sec-Fetch-Site", "same-origin"]])),
  },
  "a form": {
    threat: "T2",
    on: "writes",
    expect: [415],
    play: ({ stage, base }) =>
      stage.send(
        more(base, [stage.bearer, ["Content-Type", "application/x-www-form-urlencoded"]], "kind=pause"),
      ),
  },
  multipart: {
    threat: "T2",
    on: "writes",
    expect: [415],
    play: ({ stage, base }) =>
      stage.send(more(base, [stage.bearer, ["Content-Type", "multipart/form-data; boundary=x"]], "--x--")),
  },
  "text/plain": {
    threat: "T2",
    on: "writes",
    expect: [415],
    play: ({ stage, base }) => stage.send(more(base, [stage.bearer, ["Content-Type", "text/plain"]])),
  },
  "no content type": {
    threat: "T2",
    on: "writes",
    expect: [415],
    play: ({ stage, base }) => stage.send(more(base, [stage.bearer])),
  },
  "a form by cookie": {
    threat: "T2",
    on: "writes",
    expect: [415],
    play: ({ stage, base }) =>
      stage.send(
        more(base, [
          ["Cookie", stage.cookie],
          ["Origin", stage.origin],
          ["Content-Type", "text/plain"],
        ]),
      ),
  },
  "an oversized body": {
    threat: "T3",
    on: "writes",
    expect: [413],
    play: ({ stage, route, base }) =>
      stage.bench.raw(
        [
          `POST ${base.target} HTTP/1.1`,
          `Host: 127.0.0.1:${String(stage.bench.port)}`,
          stage.bearer.join(": "),
          JSON_TYPE.join(": "),
          `Content-Length: ${String(route.bodyBytesMax + 1)}`,
          "",
          "{",
        ].join("\r\n"),
      ),
  },
};

const isMeant = ({ isWrite, role }: AnyRoute, on: GuardAttack["on"]): boolean =>
  on === "all" || (on === "writes" ? isWrite : role !== "viewer");

/** How an answer differs from what a page of others may see of it; empty where it does not. */
function exposed({ headers }: Answered): string[] {
  const policy = headers.get("content-security-policy") ?? "";
  return [
    ...(/default-src 'none'.*frame-ancestors 'none'/.test(policy) ? [] : [`the policy "${policy}"`]),
    ...(headers.get("x-content-type-options") === "nosniff" ? [] : ["a type to be guessed"]),
    ...(headers.get("referrer-policy") === "no-referrer" ? [] : ["a referrer"]),
    ...[...headers.keys()].filter((name) => name.startsWith("access-control-")),
  ];
}

/** Each write from every origin but its own, as every type that a browser sends without asking first. */
export async function playSimpleWrites(stage: GuardStage): Promise<{ tried: number; succeeded: string[] }> {
  const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"];
  const origins = [null, "null", "https://evil.test", `http://localhost:${String(stage.bench.port + 1)}`];
  const succeeded: string[] = [];
  let tried = 0;
  for (const { name } of stage.routes.filter(({ isWrite }) => isWrite))
    for (const type of types)
      for (const origin of origins)
        for (const credential of [["Cookie", stage.cookie], stage.bearer, null] as const) {
          const from = origin === null ? [] : [["Origin", origin] as const];
          const who = credential === null ? [] : [credential];
          const headers = [["Content-Type", type] as const, ...from, ...who];
          const { status } = await stage.send({
            ...stage.requestFor(name),
            headers,
            body: '{"kind":"reopen"}',
          });
          tried += 1;
          if (![401, 403, 415, 429].includes(status))
            succeeded.push(`${name} as ${type} from ${String(origin)}: ${String(status)}`);
        }
  return { tried, succeeded };
}

/** Every route by every name of the server that is not its own. */
export async function playHosts(stage: GuardStage): Promise<{ tried: number; succeeded: string[] }> {
  const port = String(stage.bench.port);
  const spellings = [
    ...["evil.com", `evil.com:${port}`, `127.0.0.1.evil:${port}`, `[::1]:${port}`, `localhost.:${port}`],
    ...[`0.0.0.0:${port}`, `127.1:${port}`, `LOCALHOST:${port}`, "127.0.0.1", "127.0.0.1:1", ""],
  ];
  const succeeded: string[] = [];
  const asked = spellings.flatMap((host) => stage.routes.map(({ name }) => ({ host, name })));
  for (const { host, name } of asked) {
    const headers = [stage.bearer, JSON_TYPE, ["Host", host] as const];
    const { status } = await stage.send({ ...stage.requestFor(name), headers, body: "{}" });
    if (status !== 421) succeeded.push(`${name} with Host: ${host}: ${String(status)}`);
  }
  const two = await stage.bench.raw(
    `GET /api/v1/runs HTTP/1.1\r\nHost: ${stage.host}\r\nHost: evil.com\r\nConnection: close\r\n\r\n`,
  );
  if (two.status !== 421 && two.status !== 400) succeeded.push(`two hosts: ${String(two.status)}`);
  const lines = `${stage.bearer.join(": ")}\r\nConnection: close\r\n\r\n`;
  for (const head of [
    `GET http://evil.com/api/v1/runs HTTP/1.1\r\nHost: ${stage.host}`,
    "GET /api/v1/runs HTTP/1.1",
  ]) {
    const { status } = await stage.bench.raw(`${head}\r\n${lines}`);
    if (status !== 421) succeeded.push(`${head}: ${String(status)}`);
  }
  return { tried: asked.length + 3, succeeded };
}

/** Plays each attack on each route that it is meant for; `threats` names those to play, all without it. */
export async function playMatrix(
  stage: GuardStage,
  threats?: readonly string[],
): Promise<{ tried: number; succeeded: string[] }> {
  const succeeded: string[] = [];
  let tried = 0;
  for (const route of stage.routes.filter(({ role }) => role !== null))
    for (const [name, { threat, on, play, expect }] of Object.entries(GUARD_ATTACKS)) {
      if (!isMeant(route, on) || threats?.includes(threat) === false) continue;
      const answer = await play({ stage, route, base: stage.requestFor(route.name) });
      tried += 1;
      if (!expect.includes(answer.status)) succeeded.push(`${route.name}: ${name}: ${String(answer.status)}`);
      succeeded.push(...exposed(answer).map((text) => `${route.name}: ${name}: answered with ${text}`));
    }
  return { tried, succeeded };
}
