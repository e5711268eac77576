import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { once } from "node:events";
import { channelSpecSchema } from "../../../src/model/settings/notice.ts";
import type { Address } from "../../../src/notify/address-guard.ts";
import { channelNotifier } from "../../../src/notify/channel-notifier.ts";
import { guardedPost } from "../../../src/notify/post-once.ts";
import type { DeliveryOutcome } from "../../../src/notify/notifier.ts";
import { realWorld } from "../../../src/real-world.ts";
import { sampleNotice } from "../../notify/sample-notice.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";
import { sample } from "../sample.ts";
import { HOSTS_THAT_LEAD_INSIDE, NAMES_THAT_LEAD_INSIDE, NEVER_OPENED } from "./private-hosts.ts";

const world = realWorld();

interface Canary {
  readonly port: number;
  connections(): number;
  close(): Promise<void>;
}

/** Listens where nothing may connect to; answers with a status, and perhaps with where to go next. */
async function canaryAt(host: string, status = 200, location?: string): Promise<Canary> {
  let connections = 0;
  const server: Server = createServer((_, response) => {
    response.writeHead(status, location === undefined ? {} : { location }).end();
  });
  server.on("connection", () => (connections += 1));
  server.listen(0, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: async () => {
      server.close();
      await once(server, "close");
    },
  };
}

type Resolve = (host: string) => Promise<readonly Address[]>;

function post(url: string, more: object = {}, resolve?: Resolve): Promise<DeliveryOutcome> {
  const spec = channelSpecSchema.parse({ use: "webhook", url, limitMs: 2_000, ...more });
  return channelNotifier({ world, env: {}, ...(resolve === undefined ? {} : { resolve }) }).deliver(
    sampleNotice,
    spec,
  );
}

const at = (address: string): Address => ({ address, family: address.includes(":") ? 6 : 4 });

/** Posts to an address, of a webhook or of a hook; answers whether it was delivered. */
type Poster = (url: string, more?: { allowPrivate?: boolean }, resolve?: Resolve) => Promise<boolean>;

const byWebhook: Poster = async (url, more, resolve) =>
  (await post(url, more, resolve).catch(() => ({ kind: "failed" }))).kind === "delivered";

const byHook: Poster = async (url, { allowPrivate = false } = {}, resolve) => {
  const posting = guardedPost({ world, ...(resolve === undefined ? {} : { resolve }) });
  const { signal } = new AbortController();
  const answer = await posting({
    ...{ url, allowPrivate, body: "{}", limitMs: 2_000, answerBytesMax: 1_024, signal },
  });
  return answer.kind === "answered";
};

const inward =
  (poster: Poster) =>
  async ({ count, seed }: Stage): Promise<Tried> => {
    const canary = await canaryAt("127.0.0.1");
    try {
      const port = String(canary.port);
      const isReceived = await poster(`http://127.0.0.1:${port}/`, { allowPrivate: true });
      assert.ok(isReceived, "the canary hears what is let through");
      const received = canary.connections();
      const urls = sample(HOSTS_THAT_LEAD_INSIDE, count, seed);
      const succeeded: string[] = [];
      for (const url of urls) {
        const before = canary.connections();
        const isDelivered = await poster(url.replaceAll("PORT", port));
        if (isDelivered || canary.connections() > before) succeeded.push(url);
      }
      for (const addresses of NAMES_THAT_LEAD_INSIDE) {
        const before = canary.connections();
        const resolve = async (): Promise<readonly Address[]> => addresses.map(at);
        const isDelivered = await poster(`http://name.invalid:${port}/`, {}, resolve);
        if (isDelivered || canary.connections() > before) succeeded.push(addresses.join(" and "));
      }
      assert.ok(canary.connections() >= received);
      return tried(urls.length + NAMES_THAT_LEAD_INSIDE.length, succeeded);
    } finally {
      await canary.close();
    }
  };

/** Where a person has allowed private addresses: a redirect, and a name that changes, still lead nowhere else. */
async function elsewhere(): Promise<Tried> {
  const canary = await canaryAt("127.0.0.2");
  const succeeded: string[] = [];
  const statuses = [300, 301, 302, 303, 305, 307, 308];
  try {
    for (const status of statuses) {
      const receiver = await canaryAt("127.0.0.1", status, `http://127.0.0.2:${String(canary.port)}/`);
      await post(`http://127.0.0.1:${String(receiver.port)}/`, { allowPrivate: true });
      assert.equal(receiver.connections(), 1);
      await receiver.close();
      if (canary.connections() > 0) succeeded.push(`a redirect with ${String(status)}`);
    }
    let asked = 0;
    const changing: Resolve = async () => [at((asked += 1) === 1 ? "127.0.0.3" : "127.0.0.2")];
    await post(`http://name.invalid:${String(canary.port)}/`, { allowPrivate: true }, changing);
    if (canary.connections() > 0 || asked !== 1) succeeded.push("a name whose address changes");
    for (const address of NEVER_OPENED) {
      const outcome = await post("http://name.invalid/", { allowPrivate: true }, async () => [at(address)]);
      if (outcome.kind !== "failed" || !/never/.test(outcome.text)) succeeded.push(address);
    }
    return tried(statuses.length + 1 + NEVER_OPENED.length, succeeded);
  } finally {
    await canary.close();
  }
}

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "T13", level: "any", promised: "prevented" },
    title: "an address or a name leads a webhook into this machine or its network",
    count: { full: HOSTS_THAT_LEAD_INSIDE.length, short: 30 },
    run: inward(byWebhook),
  },
  {
    ...{ threat: "T13", level: "any", promised: "prevented" },
    title: "the url of a hook leads into this machine or its network",
    count: { full: HOSTS_THAT_LEAD_INSIDE.length, short: 30 },
    run: inward(byHook),
  },
  {
    ...{ threat: "T13", level: "any", promised: "prevented", count: { full: 1, short: 1 } },
    title:
      "a receiver that private addresses are allowed for redirects, changes its name's address, or is a metadata service",
    run: elsewhere,
  },
];
