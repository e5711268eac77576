import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { chromium } from "playwright-core";
import { TERMINAL_PATH } from "../../../src/api/terminal/messages.ts";
import { chromiumProgram } from "../../web/browser.ts";
import type { ApiBench } from "../api-bench.ts";

const PATHS = [
  "/api/v1/health",
  "/api/v1/runs",
  "/api/v1/me",
  "/api/v1/runs/hello/events",
  "/api/v1/stream",
  "/",
];

/** How many ways there are in `attack`: two reads of each path, six writes, the stream and the terminal. */
const WAYS = 2 * PATHS.length + 8;

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

/** What pages of an attacker have read and written in the browser of somebody who is logged in. */
export interface ForeignPages {
  readonly tried: number;
  readonly succeeded: string[];
  /** What the owner's own page is answered: the control. */
  readonly asOwner: number;
  /** What the attacker's page is answered once its name leads here. */
  readonly landed: number | null;
}

/**
 * Pages of others in the browser of somebody who is logged in: the name of the attacker's server resolves to this
 * machine, first there and then here, as DNS rebinding does.
 */
export async function playForeignPages(bench: ApiBench): Promise<ForeignPages> {
  const attacker = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<!doctype html><title>attacker</title>");
  });
  await new Promise<void>((resolve) => attacker.listen(0, "127.0.0.1", resolve));
  const browser = await chromium.launch({
    executablePath: chromiumProgram ?? "",
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      "--host-resolver-rules=MAP evil.test 127.0.0.1, MAP *.evil.test 127.0.0.1",
      "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
    ],
  });
  try {
    const context = await browser.newContext();
    const own = await context.newPage();
    const { loginUrl } = await bench.client.createLogin({ body: {} });
    await own.goto(loginUrl);
    const asOwner = await own.evaluate(async () => (await fetch("/api/v1/me")).status);
    const succeeded: string[] = [];
    const page = await context.newPage();
    const rebound = `http://evil.test:${String(bench.port)}`;
    const order = { paths: PATHS, terminal: TERMINAL_PATH };
    await page.goto(`http://evil.test:${String((attacker.address() as AddressInfo).port)}/`);
    for (const base of [rebound, bench.ready.url, `http://localhost:${String(bench.port)}`]) {
      const got = await page.evaluate(attack, { base, ...order });
      succeeded.push(...got.map((text) => `${base}: ${text}`));
      if (/hello/.test(String(await page.evaluate(frameText(base))))) succeeded.push(`${base}: read a frame`);
    }
    // Rebound: the page's own origin leads here now, so that the browser itself forbids nothing.
    const landed = (await page.goto(`${rebound}/`))?.status() ?? null;
    succeeded.push(...(await page.evaluate(attack, { base: rebound, ...order })));
    return { tried: 4 * WAYS + 3, succeeded, asOwner, landed };
  } finally {
    await browser.close();
    attacker.close();
  }
}
