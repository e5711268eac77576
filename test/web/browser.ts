import assert from "node:assert/strict";
import { accessSync, constants } from "node:fs";
import path from "node:path";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

function programOnPath(): string | null {
  for (const folder of (process.env["PATH"] ?? "").split(path.delimiter))
    for (const name of NAMES) {
      const file = path.join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // Not here.
      }
    }
  return null;
}

const program = programOnPath();

export const chromiumProgram = program;

/** Why the tests of pages cannot run on this machine; false where they can. */
export const noBrowser: string | false =
  program === null ? "no Chromium on PATH (Debian package chromium)" : false;

export const SIZES = {
  desktop: { width: 1280, height: 800 },
  wide: { width: 1920, height: 1080 },
  phone: { width: 390, height: 844 },
  /** 1280×800 at 200 % zoom. */
  zoomed: { width: 640, height: 400 },
} as const;
export type Size = keyof typeof SIZES;

export interface PageOrder {
  readonly size?: Size;
  /** `contrast`: the person asks for more; `forced`: the system chooses the colours. */
  readonly theme?: "light" | "dark" | "contrast" | "forced";
}

/** What went wrong in pages, in the order in which it was seen; a test of pages ends with none of it. */
export interface Seen {
  readonly errors: string[];
  readonly violations: string[];
  readonly dialogs: string[];
  readonly requests: string[];
}

// Runs before anything of a page: a violation of its content security policy, and code that should never run.
const WATCH = `
  document.addEventListener("securitypolicyviolation", (event) =>
    console.error("CSP-VIOLATION " + event.effectiveDirective + " " + event.blockedURI + " " + event.sourceFile + ":" + event.lineNumber));
`;

/** One Chromium for a file of tests. Every page in it is watched. */
export class WebBrowser {
  readonly seen: Seen = { errors: [], violations: [], dialogs: [], requests: [] };
  readonly #contexts = new Map<string, BrowserContext>();
  #browser: Browser | null = null;

  async launch(): Promise<void> {
    this.#browser = await chromium.launch({
      executablePath: program ?? "chromium",
      // The sandbox of Chromium is refused to root by the system.
      chromiumSandbox: process.getuid?.() !== 0,
      args: [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-dev-shm-usage",
        "--disable-lcd-text",
      ],
    });
  }

  /** A browser profile: its cookies are shared by its pages, and so is their stream. */
  async context({ size = "desktop", theme = "light" }: PageOrder = {}): Promise<BrowserContext> {
    const key = `${size} ${theme}`;
    const known = this.#contexts.get(key);
    if (known !== undefined) return known;
    assert.ok(this.#browser !== null, "the browser was launched");
    const context = await this.#browser.newContext({
      viewport: SIZES[size],
      colorScheme: theme === "dark" ? "dark" : "light",
      contrast: theme === "contrast" ? "more" : "no-preference",
      forcedColors: theme === "forced" ? "active" : "none",
      reducedMotion: "reduce",
      timezoneId: "UTC",
      locale: "en-GB",
      deviceScaleFactor: 1,
    });
    // A busy machine takes its time.
    context.setDefaultTimeout(90_000);
    await context.addInitScript(WATCH);
    context.on("page", (page) => this.#watch(page));
    context.on("request", (request) => this.seen.requests.push(request.url()));
    this.#contexts.set(key, context);
    return context;
  }

  async page(order: PageOrder = {}): Promise<Page> {
    return (await this.context(order)).newPage();
  }

  #watch(page: Page): void {
    page.on("pageerror", (error) => this.seen.errors.push(`${page.url()}: ${String(error)}`));
    page.on("dialog", (dialog) => {
      this.seen.dialogs.push(`${page.url()}: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("console", (message) => {
      const text = message.text();
      if (text.startsWith("CSP-VIOLATION") || /Content Security Policy/.test(text))
        this.seen.violations.push(`${page.url()}: ${text}`);
      // What a server refuses is shown by the page itself; the browser logs it as well.
      else if (message.type() === "error" && !/^Failed to load resource/.test(text))
        this.seen.errors.push(`${page.url()}: ${text}`);
    });
  }

  /** Nothing ran that should not, nothing was refused by the policy, and nothing was asked of anybody else. */
  assertClean(origin: string): void {
    const foreign = this.seen.requests.filter((url) => !isOwn(url, origin));
    assert.deepEqual(
      { errors: this.seen.errors, violations: this.seen.violations, dialogs: this.seen.dialogs, foreign },
      { errors: [], violations: [], dialogs: [], foreign: [] },
    );
    assert.ok(this.seen.requests.length > 0, "the requests of pages were seen");
  }

  async close(): Promise<void> {
    await this.#browser?.close();
  }
}

const isOwn = (url: string, origin: string): boolean =>
  url.startsWith(`${origin}/`) || url.startsWith("data:") || url.startsWith(`blob:${origin}/`);
