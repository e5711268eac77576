import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { chromium, type Browser } from "playwright-core";
import { TERMINAL_PATH } from "../../src/api/terminal/messages.ts";
import { chromiumProgram, noBrowser } from "../web/browser.ts";
import { ApiBench } from "./api-bench.ts";

/**
 * Pages of others in the browser of somebody who is logged in: the name of the attacker's server resolves to this
 * machine, first there and then here, as DNS rebinding does.
 */
const bench = new ApiBench();
const attacker = createServer((_, response) => {
  response.writeHead(200, { "content-type": "text/html" });
  response.end("<!doctype html><title>attacker</title>");
});
let browser: Browser | null = null;
const skip = noBrowser;

before(async () => {
  if (skip !== false) return;
  const ended = await bench.cli.call(["run", "say hello", "--agent", "demo", "--id", "hello", "--in-place"]);
  assert.equal(ended.code, 0, ended.stderr);
  await bench.serve();
  await new Promise<void>((resolve) => attacker.listen(0, "127.0.0.1", resolve));
  browser = await chromium.launch({
    executablePath: chromiumProgram ?? "",
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      "--host-resolver-rules=MAP evil.test 127.0.0.1, MAP *.evil.test 127.0.0.1",
      "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
    ],
  });
});
after(async () => {
  await browser?.close();
  attacker.close();
  if (skip === false) await bench.close();
});

const PATHS = [
  "/api/v1/health",
  "/api/v1/runs",
  "/api/v1/me",
  "/api/v1/runs/hello/events",
  "/api/v1/stream",
  "/",
];

/** Plays in a page: tries every way to read and to write, and answers what it has read. */
async function attack(order: {
  base: string;
  paths: readonly string[];
  terminal: string;
}): Promise<string[]> {
  const got: string[] = [];
  const { base, paths, terminal } = order;
  const within = <T>(work: Promise<T>): Promise<T | null> =>
    Promise.race([work.catch(() => null), new Promise<null>((resolve) => setTimeout(resolve, 3_000, null))]);
  for (const path of paths)
    for (const credentials of ["omit", "include"] as const) {
      const response = await within(fetch(base + path, { credentials }));
      if (response?.ok === true) got.push(`read ${path} (${credentials})`);
    }
  for (const type of ["text/plain", "application/json", "application/x-www-form-urlencoded"])
    for (const mode of ["cors", "no-cors"] as const) {
      const order = { method: "POST", mode, body: '{"kind":"reopen"}', headers: { "content-type": type } };
      const response = await within(
        fetch(`${base}/api/v1/runs/hello/requests`, { ...order, credentials: "include" }),
      );
      if (response?.ok === true) got.push(`wrote as ${type} (${mode})`);
    }
  await within(
    new Promise<void>((resolve) => {
      const source = new EventSource(`${base}/api/v1/stream?from=start`, { withCredentials: true });
      source.onopen = () => resolve(void got.push("read the stream"));
      source.onerror = () => resolve(source.close());
    }),
  );
  await within(
    new Promise<void>((resolve) => {
      const socket = new WebSocket(`${base.replace("http", "ws")}${terminal}`);
      socket.onopen = () => resolve(void got.push("opened a WebSocket"));
      socket.onerror = () => resolve();
    }),
  );
  return got;
}

/** What a frame of that address shows to the page that holds it. */
const frameText = (base: string): string => `new Promise((resolve) => {
  const frame = document.createElement("iframe");
  frame.onload = () => {
    try { resolve(frame.contentDocument.body.textContent); } catch { resolve(""); }
  };
  frame.src = "${base}/api/v1/runs";
  document.body.append(frame);
  setTimeout(resolve, 3000, "");
})`;

test(
  "O8 P3 a page of another name that resolves to this machine reads nothing, and writes nothing, beside somebody who is logged in",
  { skip, timeout: 180_000 },
  async () => {
    assert.ok(browser !== null);
    const standing = JSON.stringify(await bench.cli.eventsOf("hello"));
    const context = await browser.newContext();
    const own = await context.newPage();
    const { loginUrl } = await bench.client.createLogin({ body: {} });
    await own.goto(loginUrl);
    const asOwner = await own.evaluate(async () => (await fetch("/api/v1/me")).status);
    assert.equal(asOwner, 200, "its own pages do read");

    const port = (attacker.address() as AddressInfo).port;
    const page = await context.newPage();
    await page.goto(`http://evil.test:${String(port)}/`);
    const bases = [
      `http://evil.test:${String(bench.port)}`,
      `http://127.0.0.1:${String(bench.port)}`,
      `http://localhost:${String(bench.port)}`,
    ];
    for (const base of bases) {
      assert.deepEqual(
        await page.evaluate(attack, { base, paths: PATHS, terminal: TERMINAL_PATH }),
        [],
        base,
      );
      assert.doesNotMatch(String(await page.evaluate(frameText(base))), /hello/, base);
    }

    // Rebound: the page's own origin leads here now, so that the browser itself forbids nothing.
    const rebound = await context.newPage();
    const landed = await rebound.goto(`http://evil.test:${String(bench.port)}/`);
    assert.equal(landed?.status(), 421);
    const base = `http://evil.test:${String(bench.port)}`;
    assert.deepEqual(await rebound.evaluate(attack, { base, paths: PATHS, terminal: TERMINAL_PATH }), []);
    assert.equal(JSON.stringify(await bench.cli.eventsOf("hello")), standing);
    await context.close();
  },
);
