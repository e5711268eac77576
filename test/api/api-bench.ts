import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { holdfastClient, type ApiClient } from "../../src/api/client/client.ts";
import { CliBench, type CliProcess } from "../cli/cli-process.ts";

export interface Ready {
  readonly url: string;
  readonly socket: string;
  readonly tokenFile: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A home with runs, and a real server of it in a process of its own. */
export class ApiBench {
  readonly cli: CliBench;
  #server: CliProcess | null = null;
  #ready: Ready | null = null;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.cli = new CliBench({
      "holdfast.yaml": "supervisor: { idleExitMs: 300, scanMs: 100 }\nstartup: { termGraceMs: 300 }\n",
      ...files,
    });
  }

  get ready(): Ready {
    assert.ok(this.#ready !== null, "the server was started");
    return this.#ready;
  }

  get process(): CliProcess {
    assert.ok(this.#server !== null, "the server was started");
    return this.#server;
  }

  get port(): number {
    return Number(new URL(this.ready.url).port);
  }

  get token(): string {
    return readFileSync(this.ready.tokenFile, "utf8");
  }

  get client(): ApiClient {
    return holdfastClient({ url: this.ready.url, token: this.token });
  }

  async serve(words: readonly string[] = [], env: Record<string, string> = {}): Promise<Ready> {
    const server = this.cli.start(["serve", "--listen", "127.0.0.1:0", "--json", ...words], {
      env,
      limitMs: 600_000,
    });
    this.#server = server;
    await server.prints("\n");
    this.#ready = JSON.parse(server.stdout().split("\n")[0] ?? "") as Ready;
    return this.#ready;
  }

  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.#server?.child.kill(signal);
    await this.#server?.ended;
    this.#server = null;
  }

  /** Sends bytes as they are and reads what comes back until the other side has ended or said enough. */
  raw(
    text: string,
    {
      waitMs = 10_000,
      socket = false,
      port,
    }: { readonly waitMs?: number; readonly socket?: boolean; readonly port?: number } = {},
  ): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const where = socket ? connect(this.ready.socket) : connect(port ?? this.port, "127.0.0.1");
      let got = "";
      const end = (): void => {
        clearTimeout(timer);
        where.destroy();
        resolve(answerOf(got));
      };
      const timer = setTimeout(end, waitMs);
      where.setEncoding("utf8").on("data", (piece: string) => {
        got += piece;
        if (isWhole(got)) end();
      });
      where.on("close", end).on("error", (error) => (got === "" ? reject(error) : end()));
      where.write(text);
    });
  }

  async close(): Promise<void> {
    await this.end("SIGKILL");
    await this.cli.close();
  }
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  const length = /content-length: (\d+)/i.exec(text)?.[1];
  return end !== -1 && length !== undefined && Buffer.byteLength(text.slice(end + 4)) >= Number(length);
}

function answerOf(text: string): Answered {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [line = "", ...lines] = head.split("\r\n");
  const headers = new Map(
    lines.map((one) => [one.split(":")[0]?.toLowerCase() ?? "", one.slice(one.indexOf(":") + 1).trim()]),
  );
  return { status: Number(line.split(" ")[1] ?? 0), headers, body: rest.join("\r\n\r\n") };
}
