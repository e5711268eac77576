import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { syncBuiltinESMExports } from "node:module";
import type { Page } from "playwright-core";
import { holdfastClient, type ApiClient } from "../../../src/api/client/client.ts";
import type { Ready } from "../../api/api-bench.ts";
import { settled } from "../dashboard-stage.ts";
import { WebBrowser, type PageOrder } from "../browser.ts";
import { playStories } from "./play-stories.ts";
import { STORY_NOW } from "./stories.ts";

/** Pictures say nothing of the machine that they were made on. */
export const HOST = "build-1";

/** For a process in which it is always the same moment. */
const FIXED = `import os from "node:os"; import { syncBuiltinESMExports } from "node:module";
os.hostname = () => "${HOST}"; syncBuiltinESMExports();
const Real = Date, now = ${String(STORY_NOW)};
globalThis.Date = class extends Real {
  constructor(...parts) { if (parts.length === 0) super(now); else super(...parts); }
  static now() { return now; }
};`;

const program = path.join(import.meta.dirname, "..", "..", "cli", "run-cli.ts");

/** The store of the stories at its last moment, a server of it, and a browser, all of which believe that it is then. */
export class StoryStage {
  readonly browser = new WebBrowser();
  readonly #pages = new Map<string, Page>();
  #server: ChildProcess | null = null;
  #url = "";
  #client: ApiClient | null = null;

  async open(root: string): Promise<void> {
    os.hostname = () => HOST;
    syncBuiltinESMExports();
    const { home } = await playStories(root);
    const ready = await this.#serve(home, path.join(root, "shop"));
    this.#url = ready.url;
    this.#client = holdfastClient({ url: ready.url, token: readFileSync(ready.tokenFile, "utf8") });
    await this.browser.launch();
  }

  async #serve(home: string, cwd: string): Promise<Ready> {
    const server = spawn(process.execPath, [program, "serve", "--listen", "127.0.0.1:0", "--json"], {
      cwd,
      env: {
        ...process.env,
        HOLDFAST_HOME: home,
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FIXED)}`,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#server = server;
    let text = "";
    for await (const piece of server.stdout.setEncoding("utf8")) {
      text += String(piece);
      if (text.includes("\n")) break;
    }
    return JSON.parse(text.split("\n")[0] ?? "") as Ready;
  }

  /** The same page again for the same window and theme, at that address. */
  async look(address: string, order: PageOrder = {}): Promise<Page> {
    const key = JSON.stringify(order);
    const page = this.#pages.get(key) ?? (await this.#begin(order));
    this.#pages.set(key, page);
    await page.goto(`${this.#url}${address}`);
    await settled(page);
    await page.locator(".live-live").waitFor();
    await page.locator(".top-needs").waitFor();
    await page.waitForLoadState("networkidle", { timeout: 3_000 }).catch(() => undefined);
    await page.evaluate(
      "document.fonts.ready.then(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true)))))",
    );
    return page;
  }

  async #begin(order: PageOrder): Promise<Page> {
    const page = await this.browser.page(order);
    await page.clock.setFixedTime(STORY_NOW);
    const { loginUrl = "" } = (await this.#client?.createLogin({ body: {} })) ?? {};
    await page.goto(loginUrl);
    return page;
  }

  async close(): Promise<void> {
    await this.browser.close();
    if (this.#server === null) return;
    const ended = once(this.#server, "exit");
    this.#server.kill("SIGTERM");
    await ended;
  }
}
