import assert from "node:assert/strict";
import type { AnyRoute } from "../../../src/api/routes/define-route.ts";
import { API_PREFIX, ROUTE_PATHS, type RouteName } from "../../../src/api/routes/route-paths.ts";
import { ROUTES } from "../../../src/api/routes/route-table.ts";
import { ApiBench, type Answered } from "../api-bench.ts";

export interface Sent {
  readonly method?: string;
  readonly target: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
}

export const JSON_TYPE: [string, string] = ["Content-Type", "application/json"];

/** A server with one ended run, a token that may only read and a session of a browser, for requests of every kind. */
export class GuardStage {
  readonly bench = new ApiBench();
  readonly routes: readonly AnyRoute[] = ROUTES;
  viewer = "";
  cookie = "";
  #standing = "";

  async open(): Promise<void> {
    const run = ["run", "say hello", "--agent", "demo", "--id", "hello", "--in-place"];
    const ended = await this.bench.cli.call(run);
    assert.equal(ended.code, 0, ended.stderr);
    await this.bench.serve();
    const order = ["token", "create", "wall", "--role", "viewer"];
    ({ token: this.viewer } = await this.bench.cli.json<{ token: string }>(order));
    this.cookie = (await this.login()).headers.get("set-cookie")?.split(";")[0] ?? "";
    this.#standing = await this.journal();
  }

  close(): Promise<void> {
    return this.bench.close();
  }

  journal = async (): Promise<string> => JSON.stringify(await this.bench.cli.eventsOf("hello"));

  /** Whether anything was recorded since the stage was opened. */
  isUntouched = async (): Promise<boolean> => (await this.journal()) === this.#standing;

  get host(): string {
    return `127.0.0.1:${String(this.bench.port)}`;
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  get bearer(): [string, string] {
    return ["Authorization", `Bearer ${this.bench.token}`];
  }

  /** A request that its route would accept, of a run that exists. */
  requestFor(name: RouteName): Sent {
    const [method, route] = ROUTE_PATHS[name];
    const target = API_PREFIX + route.replace("{run}", "hello").replaceAll(/\{\w+\}/g, "x");
    return { method, target };
  }

  /** Of a header that is there twice the last one is sent. */
  send({ method = "GET", target, headers = [], body = "" }: Sent): Promise<Answered> {
    const all = [["Host", this.host], ...headers].filter(
      ([name], at, list) => name !== "Host" || at === list.findLastIndex(([other]) => other === "Host"),
    );
    const lines = all.map(([name = "", value = ""]) => `${name}: ${value}`);
    const length = method === "POST" ? [`Content-Length: ${String(Buffer.byteLength(body))}`] : [];
    const text = method === "POST" ? body : "";
    const head = [`${method} ${target} HTTP/1.1`, ...lines, ...length, "Connection: close"];
    return this.bench.raw([...head, "", text].join("\r\n"));
  }

  async login(): Promise<Answered> {
    const { loginUrl } = await this.bench.client.createLogin({ body: {} });
    return this.send({ target: new URL(loginUrl).pathname });
  }
}
