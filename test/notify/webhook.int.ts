import assert from "node:assert/strict";
import { createHmac, timingSafeEqual } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { channelSpecSchema, type ChannelSpec } from "../../src/model/settings/notice.ts";
import type { Address } from "../../src/notify/address-guard.ts";
import { channelNotifier } from "../../src/notify/channel-notifier.ts";
import type { DeliveryOutcome } from "../../src/notify/notifier.ts";
import { webhookHeaders } from "../../src/notify/webhook-signature.ts";
import { realWorld } from "../../src/real-world.ts";
import { httpReceiver, rawReceiver, type Received, type Receiver } from "./receiver.ts";
import { sampleNotice } from "./sample-notice.ts";

const secret = `whsec_${Buffer.from("an example key of thirty-two byte").toString("base64")}`;
const newSecret = `whsec_${Buffer.from("the key that follows upon the old").toString("base64")}`;
const limit = { timeout: 60_000 };
const world = realWorld();

interface Sending {
  readonly path?: string;
  readonly spec?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly resolve?: (host: string) => Promise<readonly Address[]>;
  readonly url?: string;
  readonly cwd?: string;
}

function send(receiver: Receiver | undefined, sending: Sending = {}): Promise<DeliveryOutcome> {
  const url = sending.url ?? `http://127.0.0.1:${String(receiver?.port)}${sending.path ?? "/hook"}`;
  const spec: ChannelSpec = channelSpecSchema.parse({
    use: "webhook",
    url,
    allowPrivate: true,
    ...sending.spec,
  });
  const { env = {}, resolve } = sending;
  const options = { world, env, ...(resolve === undefined ? {} : { resolve }) };
  return channelNotifier(options).deliver(sampleNotice, spec, sending.cwd);
}

async function withReceiver(
  answer: Parameters<typeof httpReceiver>[0],
  body: (receiver: Receiver) => Promise<void>,
): Promise<void> {
  const receiver = await httpReceiver(answer);
  try {
    await body(receiver);
  } finally {
    await receiver.close();
  }
}

const says =
  (status: number, headers: Record<string, string> = {}, body = "") =>
  (response: ServerResponse): void => {
    response.writeHead(status, headers).end(body);
  };

/** As the specification tells receivers to verify, and by nothing of ours. */
function verifies({ headers, body }: Received, key: string): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  if (typeof id !== "string" || typeof timestamp !== "string" || typeof signatures !== "string") return false;
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300) return false;
  const bytes = Buffer.from(key.slice("whsec_".length), "base64");
  const expected = createHmac("sha256", bytes).update(`${id}.${timestamp}.${body}`).digest();
  return signatures
    .split(" ")
    .map((signature) => signature.split(","))
    .some(([version, text]) => {
      const given = Buffer.from(text ?? "", "base64");
      return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
    });
}

function failure(outcome: DeliveryOutcome): Extract<DeliveryOutcome, { kind: "failed" }> {
  assert.equal(outcome.kind, "failed");
  assert.ok(outcome.kind === "failed");
  assert.ok(outcome.text.length <= 400);
  return outcome;
}

test("O3 the signature is the one that the reference implementation makes", () => {
  const key = Buffer.from(Array.from({ length: 32 }, (_, at) => at));
  const headers = webhookHeaders({ id: "msg_known", timestamp: 1_700_000_000, body: '{"a":"grüße"}' }, [key]);
  assert.deepEqual(headers, {
    "webhook-id": "msg_known",
    "webhook-timestamp": "1700000000",
    "webhook-signature": "v1,+HgT/OavrgJ9QG/mlbvIsbnH5OYh/6uVcsugiT8fUsM=",
  });
});

test("O3 a notice is posted, signed, and delivered by any status from 200 to 299", limit, async () => {
  for (const status of [200, 202, 204])
    await withReceiver(says(status), async (receiver) => {
      const outcome = await send(receiver, {
        spec: { secretEnv: "HOOK_SECRET" },
        env: { HOOK_SECRET: secret },
      });
      assert.deepEqual(outcome, {
        kind: "delivered",
        detail: `webhook 127.0.0.1:${String(receiver.port)}: answered ${String(status)}`,
      });
      const [request] = receiver.received;
      assert.ok(request !== undefined && verifies(request, secret));
      assert.deepEqual([request.method, request.url], ["POST", "/hook"]);
      assert.equal(request.headers["content-type"], "application/json");
      const body = JSON.parse(request.body) as Record<string, unknown>;
      assert.deepEqual(body["data"], sampleNotice);
      assert.deepEqual(
        [body["type"], body["timestamp"]],
        ["holdfast.escalation", "2023-11-14T22:13:20.000Z"],
      );
      assert.match(
        String(body["text"]),
        /^Step build needs you\nThe third[^]*&lt;!channel&gt; ␛\[31mred — grüße\nholdfast unblock esc_1\nhttp:\/\/127\.0\.0\.1:4377\/inbox\?item=esc_1$/,
      );
    });
});

test(
  "O3 a notice delivered twice bears the same id and the same bytes, and a valid signature each time",
  limit,
  async () => {
    await withReceiver(
      (response, _request, count) => says(count === 1 ? 500 : 200)(response),
      async (receiver) => {
        const sending = { spec: { secretEnv: "S" }, env: { S: secret } };
        assert.equal((await send(receiver, sending)).kind, "failed");
        assert.equal((await send(receiver, sending)).kind, "delivered");
        const [first, second] = receiver.received;
        assert.ok(first !== undefined && second !== undefined);
        assert.ok(verifies(first, secret) && verifies(second, secret));
        assert.equal(first.headers["webhook-id"], sampleNotice.id);
        assert.equal(second.headers["webhook-id"], sampleNotice.id);
        assert.equal(first.body, second.body);
      },
    );
  },
);

test("O3 while keys are exchanged, a message is signed by both", limit, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-secret-"));
  const secretFile = path.join(folder, "secret");
  try {
    writeFileSync(secretFile, `${newSecret}\n${secret}\n`);
    await withReceiver(says(200), async (receiver) => {
      assert.equal((await send(receiver, { spec: { secretFile } })).kind, "delivered");
      const [request] = receiver.received;
      assert.ok(request !== undefined && verifies(request, secret) && verifies(request, newSecret));
      assert.ok(!verifies(request, `whsec_${Buffer.alloc(32).toString("base64")}`));
      const named = { spec: { secretFile: "secret" }, cwd: folder };
      assert.equal((await send(receiver, named)).kind, "delivered", "named from the folder of the run");
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test(
  "O3 nothing is sent without the signature that was asked for, and no secret is printed",
  limit,
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "holdfast-secret-"));
    try {
      const file = (name: string, text: string): string => {
        writeFileSync(path.join(folder, name), text);
        return path.join(folder, name);
      };
      spawnSync("mkfifo", [path.join(folder, "pipe")]);
      const rows: [spec: object, env: Record<string, string>, said: RegExp][] = [
        [{ secretEnv: "S" }, {}, /environment variable S is not set/],
        [{ secretEnv: "S" }, { S: " " }, /is empty/],
        [{ secretEnv: "S" }, { S: "hunter2hunter2hunter2hunter2hunter2" }, /is not valid; expected whsec_/],
        [{ secretEnv: "S" }, { S: "whsec_aHVudGVyMg==" }, /24 to 64 bytes/],
        [{ secretFile: path.join(folder, "none") }, {}, /none cannot be read: ENOENT/],
        [{ secretFile: folder }, {}, /is a folder; expected a regular file/],
        [{ secretFile: path.join(folder, "pipe") }, {}, /is a FIFO \(named pipe\); expected a regular file/],
        [{ secretFile: file("bad", "hunter2 hunter2") }, {}, /is not valid/],
      ];
      await withReceiver(says(200), async (receiver) => {
        for (const [spec, env, said] of rows) {
          const { text, terminal } = failure(await send(receiver, { spec, env }));
          assert.match(text, said);
          assert.doesNotMatch(text, /hunter2|aHVudGVy/);
          assert.equal(terminal, false);
        }
        assert.equal(receiver.received.length, 0);
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test("O3 of all answers only 410 is final: what a person can put right is tried again", limit, async () => {
  for (const status of [400, 401, 403, 404, 405, 410, 422, 429, 500, 503])
    await withReceiver(says(status, {}, "no\u001b[2J way"), async (receiver) => {
      const { text, terminal } = failure(await send(receiver));
      assert.equal(terminal, status === 410, text);
      assert.match(text, new RegExp(`answered ${String(status)} and said: no␛\\[2J way$`));
    });
});

test("O3 a receiver that asks for time is given it, up to an hour", limit, async () => {
  const rows: [header: string, low: number | undefined, high: number][] = [
    ["7", 7_000, 7_000],
    ["0", 0, 0],
    ["999999999999", 3_600_000, 3_600_000],
    [new Date(Date.now() + 60_000).toUTCString(), 1, 60_000],
    ["Wed, 21 Oct 2015 07:28:00 GMT", 0, 0],
    ["soon", undefined, 0],
    ["-5", undefined, 0],
    ["1.5", undefined, 0],
  ];
  for (const [header, low, high] of rows)
    await withReceiver(says(429, { "retry-after": header }), async (receiver) => {
      const { retryAfterMs } = failure(await send(receiver));
      if (low === undefined) assert.equal(retryAfterMs, undefined, header);
      else assert.ok(retryAfterMs !== undefined && retryAfterMs >= low && retryAfterMs <= high, header);
    });
});

test("P3 a redirect is not followed, wherever it leads", limit, async () => {
  await withReceiver(says(200), async (inner) => {
    const location = `http://127.0.0.1:${String(inner.port)}/private-words`;
    for (const status of [301, 302, 307, 308])
      await withReceiver(says(status, { location }), async (receiver) => {
        const { text, terminal } = failure(await send(receiver));
        assert.match(text, /a redirect, which is not followed/);
        assert.doesNotMatch(text, /private-words/);
        assert.equal(terminal, false);
      });
    assert.equal(inner.received.length, 0);
  });
});

test("O3 a receiver that never answers is given up at the limit", limit, async () => {
  await withReceiver(
    () => undefined,
    async (receiver) => {
      const { text } = failure(await send(receiver, { spec: { limitMs: 200 } }));
      assert.match(text, /no answer within \d+ ms/);
      while (receiver.sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    },
  );
});

test(
  "O3 a body that never ends, or comes in drops, is given up at the limit; the status stands",
  limit,
  async () => {
    const drip =
      (status: number) =>
      (response: ServerResponse): void => {
        response.writeHead(status);
        const timer = setInterval(() => response.write("."), 20);
        response.on("close", () => clearInterval(timer));
      };
    await withReceiver(drip(200), async (receiver) => {
      assert.equal((await send(receiver, { spec: { limitMs: 300 } })).kind, "delivered");
    });
    await withReceiver(drip(500), async (receiver) => {
      assert.match(
        failure(await send(receiver, { spec: { limitMs: 300 } })).text,
        /answered 500 and said: \.+$/,
      );
    });
  },
);

test("O3 of a huge body little is read and less is kept", limit, async () => {
  let sent = 0;
  const flood = (response: ServerResponse): void => {
    response.writeHead(500);
    const more = (): void => {
      while (!response.destroyed && response.write("x".repeat(65_536))) sent += 65_536;
    };
    response.on("drain", more);
    response.on("error", () => undefined);
    more();
  };
  await withReceiver(flood, async (receiver) => {
    const { text } = failure(await send(receiver));
    assert.match(text, /answered 500 and said: x+…$/);
    assert.ok(text.length < 300);
    while (receiver.sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.ok(sent < 50_000_000);
  });
});

test(
  "O3 what is no HTTP, half of it, or too much of it is one failure or one delivery, never a fault",
  limit,
  async () => {
    const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
    const rows: [bytes: string, kind: DeliveryOutcome["kind"]][] = [
      ["", "failed"],
      ["complete nonsense\r\n\r\n", "failed"],
      ["HTTP/1.1 2", "failed"],
      ["HTTP/1.1 200 OK\r\ncontent-le", "failed"],
      ["HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf", "delivered"],
      ["HTTP/1.1 500 No\r\ncontent-length: 100\r\n\r\nhalf", "failed"],
      [`${ok}${ok}`, "delivered"],
      [`${ok}and some more`, "delivered"],
      ["HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", "failed"],
      [`HTTP/1.1 200 OK\r\nx: ${"y".repeat(200_000)}\r\n\r\n`, "failed"],
      ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzzz\r\n", "delivered"],
    ];
    for (const [bytes, kind] of rows) {
      const receiver = await rawReceiver((socket) => socket.end(bytes));
      try {
        const outcome = await send(receiver, { spec: { limitMs: 5_000 } });
        assert.equal(outcome.kind, kind, `${JSON.stringify(bytes.slice(0, 60))}: ${JSON.stringify(outcome)}`);
      } finally {
        await receiver.close();
      }
    }
  },
);

test("O3 a receiver that is not there is a failure that may be tried again", limit, async () => {
  const gone = await httpReceiver(says(200));
  await gone.close();
  const { text, terminal } = failure(await send(gone));
  assert.match(text, /^webhook 127\.0\.0\.1:\d+: connect ECONNREFUSED/);
  assert.equal(terminal, false);
  const plain = await httpReceiver(says(200));
  try {
    const overTls = await send(plain, { url: `https://127.0.0.1:${String(plain.port)}/` });
    assert.equal(failure(overTls).terminal, false);
    assert.equal(plain.received.length, 0);
  } finally {
    await plain.close();
  }
});

test(
  "P3 an address that is not public is refused for ever as it is written, before anything is sent",
  limit,
  async () => {
    await withReceiver(says(200), async (receiver) => {
      const port = String(receiver.port);
      for (const host of [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
      ]) {
        const outcome = await send(receiver, {
          url: `http://${host}:${port}/`,
          spec: { allowPrivate: false },
        });
        const { text, terminal } = failure(outcome);
        assert.match(text, /is not public; set allowPrivate/);
        assert.equal(terminal, true);
      }
      assert.equal(receiver.received.length, 0);
    });
  },
);

test(
  "P3 a name that leads to an address that is not public is refused, even among others",
  limit,
  async () => {
    await withReceiver(says(200), async (receiver) => {
      const url = `http://localhost:${String(receiver.port)}/`;
      assert.match(
        failure(await send(receiver, { url, spec: { allowPrivate: false } })).text,
        /is not public/,
      );
      const resolve = async (): Promise<readonly Address[]> => [
        { address: "8.8.8.8", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ];
      const mixed = await send(receiver, { url, resolve, spec: { allowPrivate: false } });
      assert.match(failure(mixed).text, /its address 127\.0\.0\.1 is not public/);
      assert.equal(receiver.received.length, 0);
    });
  },
);

test("P3 the address that was checked is the one connected to: a name is asked for once", limit, async () => {
  await withReceiver(says(200), async (receiver) => {
    const asked: string[] = [];
    const resolve = async (host: string): Promise<readonly Address[]> => {
      asked.push(host);
      return [{ address: asked.length === 1 ? "127.0.0.1" : "192.0.2.1", family: 4 }];
    };
    const url = `http://receiver.invalid:${String(receiver.port)}/hook`;
    assert.equal((await send(receiver, { url, resolve })).kind, "delivered");
    assert.deepEqual(asked, ["receiver.invalid"]);
    assert.equal(receiver.received[0]?.headers.host, `receiver.invalid:${String(receiver.port)}`);
  });
});

test(
  "O3 a name that does not resolve, or not in time, is a failure that may be tried again",
  limit,
  async () => {
    const url = "http://receiver.invalid/hook";
    const never = await send(undefined, {
      url,
      resolve: () => new Promise(() => undefined),
      spec: { limitMs: 50 },
    });
    assert.match(failure(never).text, /not resolved within 50 ms/);
    const none = await send(undefined, { url, resolve: async () => [] });
    assert.match(failure(none).text, /has no address/);
    const broken = await send(undefined, { url, resolve: () => Promise.reject(new Error("ENOTFOUND")) });
    assert.deepEqual(
      [failure(broken).terminal, failure(broken).text],
      [false, "webhook receiver.invalid: its name could not be resolved: ENOTFOUND"],
    );
  },
);

test(
  "P3 an address with credentials or another protocol is refused, and nothing secret of it is printed",
  limit,
  async () => {
    for (const url of [
      "http://me:hunter2@example.org/x",
      "https://hunter2@example.org/",
      "file:///etc/hunter2",
      "ftp://example.org/hunter2",
      "hunter2",
      "http://[hunter2]/",
    ]) {
      const { text, terminal } = failure(await send(undefined, { url }));
      assert.doesNotMatch(text, /hunter2/, url);
      assert.equal(terminal, true);
    }
  },
);

test("P3 what a receiver says of the path and query it was asked for is not repeated", limit, async () => {
  const echo = (response: ServerResponse, request: { url?: string | undefined }): void => {
    response.writeHead(404).end(`no such hook ${String(request.url)}, T0SECRET1, or sesame99`);
  };
  await withReceiver(echo, async (receiver) => {
    const { text } = failure(await send(receiver, { path: "/services/T0SECRET1/B0SECRET2?token=sesame99" }));
    assert.match(text, /answered 404 and said: no such hook/);
    assert.doesNotMatch(text, /SECRET|sesame/);
  });
});

test(
  "O3 an address that is a secret is read from a variable or a file, for each try, and is in no message",
  limit,
  async () => {
    await withReceiver(says(500, {}, "no luck at /T0KEN/hook"), async (receiver) => {
      const address = `http://127.0.0.1:${String(receiver.port)}/T0KEN/hook`;
      const by = (spec: object, env: Record<string, string> = {}): Promise<DeliveryOutcome> =>
        channelNotifier({ world, env }).deliver(
          sampleNotice,
          channelSpecSchema.parse({ use: "webhook", allowPrivate: true, ...spec }),
        );
      const missing = await by({ urlEnv: "CHAT_URL" });
      assert.ok(missing.kind === "failed" && !missing.terminal);
      assert.match(missing.text, /the environment variable CHAT_URL is not set/);
      const received = await by({ urlEnv: "CHAT_URL" }, { CHAT_URL: ` ${address}\n` });
      assert.ok(received.kind === "failed");
      assert.doesNotMatch(received.text, /T0KEN/);
      const folder = mkdtempSync(path.join(tmpdir(), "holdfast-url-"));
      const file = path.join(folder, "url");
      const unreadable = await by({ urlFile: file });
      assert.ok(unreadable.kind === "failed" && !unreadable.terminal);
      writeFileSync(file, "not an address\n");
      const wrong = await by({ urlFile: file });
      assert.ok(wrong.kind === "failed" && !wrong.terminal, "a file can be put right");
      writeFileSync(file, `${address}\n`);
      await by({ urlFile: file });
      rmSync(folder, { recursive: true });
      assert.deepEqual(
        receiver.received.map(({ url }) => url),
        ["/T0KEN/hook", "/T0KEN/hook"],
      );
    });
  },
);

test("O3 a webhook has its address in exactly one place", () => {
  const valid = (spec: object): boolean => channelSpecSchema.safeParse({ use: "webhook", ...spec }).success;
  assert.ok(valid({ urlEnv: "A" }) && valid({ urlFile: "a" }) && valid({ url: "https://example.org" }));
  assert.ok(!valid({}) && !valid({ url: "https://example.org", urlEnv: "A" }));
});
