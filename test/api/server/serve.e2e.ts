import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { after, before, test } from "node:test";
import { holdfastClient } from "../../../src/api/client/client.ts";
import { CliBench } from "../../cli/cli-process.ts";
import { ApiBench } from "../api-bench.ts";

/** How a server begins, stands beside others, and ends. */
const bench = new ApiBench();
const other = new CliBench();
before(async () => {
  const ended = await bench.cli.call(["run", "say hello", "--agent", "demo", "--id", "hello", "--in-place"]);
  assert.equal(ended.code, 0, ended.stderr);
  await bench.serve();
});
after(async () => {
  await bench.close();
  await other.close();
});

test("O8 a second server of a store is refused, a named port that is in use is, and where none was named a free one is taken and said", async () => {
  const second = await bench.cli.call(["serve"]);
  assert.equal(second.code, 5, second.stderr);
  assert.match(second.stderr, /another server of this store is listening on .*holdfast dashboard/);
  const named = await other.call(["serve", "--listen", `127.0.0.1:${String(bench.port)}`]);
  assert.equal(named.code, 2, named.stderr);
  assert.match(named.stderr, /another program listens there; expected a free address/);
  const default4377 = createServer();
  // Where another program has the port already, it serves as well.
  await new Promise<void>((resolve) => {
    default4377.once("error", () => resolve());
    default4377.listen(4377, "127.0.0.1", resolve);
  });
  const free = other.start(["serve", "--json"]);
  try {
    await free.prints("\n");
    const { url } = JSON.parse(free.stdout().split("\n")[0] ?? "") as { url: string };
    assert.notEqual(new URL(url).port, "4377");
  } finally {
    default4377.close();
    free.child.kill("SIGTERM");
  }
  assert.match(
    (await free.ended).stderr,
    /127\.0\.0\.1:4377 is in use by another program: a free port is taken/,
  );
});

test("O8 `status` says where the API is, and a token that was removed is made again by `dashboard`", async () => {
  const { stdout } = await bench.cli.call(["status", "hello"]);
  assert.match(stdout, new RegExp(`API: ${bench.ready.url}`));
  const before = bench.token;
  rmSync(bench.ready.tokenFile);
  await assert.rejects(holdfastClient({ url: bench.ready.url, token: before }).whoAmI({}), { status: 401 });
  const { loginUrl } = await bench.cli.json<{ loginUrl: string }>(["dashboard", "--no-open"]);
  assert.ok(loginUrl.startsWith(`${bench.ready.url}/login/`));
  assert.notEqual(bench.token, before);
  assert.equal((await bench.client.whoAmI({})).role, "admin");
});

test("O8 a token ends with its time, and the list says so", async () => {
  const { token } = await bench.cli.json<{ token: string }>(["token", "create", "brief", "--expires", "1s"]);
  const client = holdfastClient({ url: bench.ready.url, token });
  for (const until = Date.now() + 20_000; Date.now() < until;)
    if (
      await client.whoAmI({}).then(
        () => false,
        () => true,
      )
    )
      break;
  await assert.rejects(client.whoAmI({}), { status: 401 });
  assert.match((await bench.cli.call(["token", "list"])).stdout, /^brief .* \(expired\) /m);
});

test("O8 at Ctrl-C a server answers what is under way, ends its streams and leaves nothing behind that says it lives", async () => {
  const { ready, client } = bench;
  const stream = client.stream({ from: "start" });
  await stream.next();
  const { ended, child } = bench.process;
  const body = '{"kind":"pause"}';
  const asking = connect(bench.port, "127.0.0.1");
  const answered = text(asking);
  asking.write(
    `POST /api/v1/runs/hello/requests HTTP/1.1\r\nHost: 127.0.0.1:${String(bench.port)}\r\nAuthorization: Bearer ${bench.token}\r\nContent-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n{`,
  );
  await delay(300);
  child.kill("SIGINT");
  await delay(300);
  asking.write(body.slice(1));
  assert.match(await answered, /^HTTP\/1\.1 409 .*the run is completed|hello is completed/s);
  const { code } = await ended;
  await stream.return(undefined);
  assert.equal(code, 130);
  for (const file of [ready.socket, path.join(bench.cli.home, "api.json")])
    assert.ok(!existsSync(file), file);
  const { stdout } = await bench.cli.call(["status", "hello"]);
  assert.doesNotMatch(stdout, /^API:/m);
});
