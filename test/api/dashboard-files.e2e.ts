import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { webFiles } from "../../src/api/server/web-files.ts";
import { ApiBench } from "./api-bench.ts";
import { takesTurns } from "../turns.ts";

const { after, before, test } = takesTurns(4);

const bench = new ApiBench();
let cookie = "";

before(async () => {
  await bench.serve();
  const { loginUrl } = await bench.client.createLogin({ body: {} });
  const { headers } = await ask(loginUrl);
  cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
});
after(() => bench.close());

const ask = (target: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(new URL(target, bench.ready.url), { headers, redirect: "manual" });
const page = (target: string): Promise<Response> => ask(target, { cookie });
const assetsOf = (html: string): string[] =>
  [...html.matchAll(/"(\/assets\/[\w.-]+)"/g)].map(([, address = ""]) => address);

test("O2 every address of a page answers the page, and nothing of it may be kept", async () => {
  const first = await (await page("/")).text();
  assert.match(first, /<script type="module" src="\/assets\/main-[A-Z0-9]+\.js">/);
  assert.doesNotMatch(
    first,
    /<script(?![^>]* src=)|<style|style=|https?:/,
    "nothing inline, nothing from elsewhere",
  );
  for (const target of [
    "/runs",
    "/runs/a.b-c/timeline?from=3",
    "/inbox/x",
    "/anything/else",
    "/index.html",
  ]) {
    const answered = await page(target);
    assert.deepEqual([answered.status, await answered.text()], [200, first], target);
    assert.equal(answered.headers.get("cache-control"), "no-store", target);
    const csp = answered.headers.get("content-security-policy") ?? "";
    assert.match(csp, /default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;/);
    assert.doesNotMatch(csp, /unsafe/);
  }
});

test("O2 the parts of the page are kept for ever, have their types, and come compressed to who accepts it", async () => {
  const parts = assetsOf(await (await page("/")).text());
  assert.ok(parts.some((part) => part.endsWith(".js")) && parts.some((part) => part.endsWith(".css")));
  for (const part of parts) {
    const plain = await ask(part, { "accept-encoding": "identity" });
    const bytes = Buffer.from(await plain.arrayBuffer());
    assert.equal(plain.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.equal(plain.headers.get("x-content-type-options"), "nosniff");
    assert.match(
      plain.headers.get("content-type") ?? "",
      part.endsWith(".js") ? /^text\/javascript/ : /^text\/css/,
    );
    for (const [name, expand] of [
      ["br", brotliDecompressSync],
      ["gzip", gunzipSync],
    ] as const) {
      if (bytes.length < 1_024) continue;
      const raw = await rawAsset(part, name);
      assert.equal(raw.encoding, name);
      assert.ok(expand(raw.body).equals(bytes), `${part} as ${name}`);
    }
    assert.equal((await rawAsset(part, "br;q=0, gzip;q=0")).encoding, undefined);
  }
});

async function rawAsset(part: string, accepts: string) {
  const { get } = await import("node:http");
  return new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
    get(new URL(part, bench.ready.url), { headers: { "accept-encoding": accepts } }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on("data", (piece: Buffer) => pieces.push(piece));
      answer.on("end", () =>
        resolve({ encoding: answer.headers["content-encoding"], body: Buffer.concat(pieces) }),
      );
    }).on("error", reject);
  });
}

test("O2 O8 no path leads out of the folder of the dashboard, and what is no file of it is not found", async () => {
  for (const target of [
    "/assets/../index.html",
    "/assets/..%2f..%2fpackage.json",
    "/assets/%2e%2e/%2e%2e/package.json",
    "/assets/....//package.json",
    "/assets//etc/passwd",
    "/assets/..\\..\\package.json",
    "/assets/index.html",
    "/assets/.web-metafile.json",
    "/assets/",
    "/assets",
    "/assets/x.js%00.css",
    "/api/v2/runs",
    "/favicon.ico",
  ]) {
    const { status, body } = await bench.raw(
      `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${String(bench.port)}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`,
    );
    assert.ok(status === 404 && body.includes("no_such_route"), `${target}: ${String(status)} ${body}`);
  }
});

test("O2 a page without a session says how to begin one, and the login leads to the page that was asked for", async () => {
  const asked = await ask("/runs/hello?tab=why");
  assert.equal(asked.status, 401);
  assert.match(await asked.text(), /<code>holdfast dashboard<\/code>/);
  const wanted = asked.headers.get("set-cookie") ?? "";
  assert.match(wanted, /Path=\/login; HttpOnly; SameSite=Strict/);
  const { loginUrl } = await bench.client.createLogin({ body: {} });
  const landed = await ask(loginUrl, { cookie: wanted.split(";")[0] ?? "" });
  assert.deepEqual([landed.status, landed.headers.get("location")], [303, "/runs/hello?tab=why"]);
  const used = await ask(loginUrl);
  assert.ok(used.status === 401 || used.status === 429);
  assert.match(await used.text(), /no longer valid[\s\S]*<code>holdfast dashboard<\/code>/);
});

test("O2 O8 a login leads to pages of this server alone", async () => {
  for (const [to, leads] of [
    ["/inbox?item=3#x", "/inbox?item=3#x"],
    ["https://evil.test/", "/"],
    ["//evil.test/", "/"],
    ["/\\evil.test", "/"],
    ["/.//evil.test", "/"],
    ["/\t/evil.test", "/"],
    ["javascript:alert(1)", "/"],
    ["/api/v1/logout", "/"],
    ["/runs\r\nset-cookie: a=b", "/runsset-cookie:%20a=b"],
  ] as const) {
    const { loginUrl } = await bench.client.createLogin({ body: {} });
    const { headers } = await ask(`${loginUrl}?to=${encodeURIComponent(to)}`);
    assert.equal(headers.get("location"), leads, JSON.stringify(to));
  }
});

test("O2 where the dashboard is not built, or its folder holds what is no file, nothing of that is served", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-web-"));
  try {
    assert.equal(webFiles(path.join(folder, "absent")).look(), null);
    const files = webFiles(folder);
    assert.equal(files.look(), null, "a folder without the page is not a dashboard");
    writeFileSync(path.join(folder, "index.html"), "<p>the page</p>");
    writeFileSync(path.join(folder, "main.js"), "1");
    writeFileSync(path.join(folder, ".hidden.js"), "1");
    mkdirSync(path.join(folder, "folder.js"));
    symlinkSync("/etc/passwd", path.join(folder, "link.js"));
    const seen = files.look();
    assert.deepEqual([seen?.page, [...(seen?.assets.keys() ?? [])]], ["<p>the page</p>", ["main.js"]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
