import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ApiProblem } from "../../api/client/api-problem.ts";
import {
  holdfastClient,
  type ApiClient,
  type ClientRoute,
  type RouteInput,
} from "../../api/client/client.ts";
import { Fault } from "../../model/fault.ts";
import { commandText } from "../../model/text/command-text.ts";
import type { Output } from "../print/output.ts";
import { packageVersion } from "../shell/package-folder.ts";
import type { Surroundings } from "../shell/surroundings.ts";
import type { Called } from "./called.ts";
import type { ServerChoice } from "./choose-server.ts";
import { nodeFetch } from "./node-fetch.ts";
import { remoteFault } from "./remote-fault.ts";

const COMMAND_TYPE = "application/vnd.holdfast.command+json";
const TRIES = 4;
const AGAIN_MS = 300;

/** What a command has printed on the server. */
export interface Printed {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Of what comes in parts: where the next one begins. */
  readonly cursor: string | null;
}

export interface Plan extends RouteInput {
  readonly route: ClientRoute;
}

/** What begins only once it is known that every option was taken. */
export type Later = () => Promise<Plan | number>;

/** How a command is performed by routes of a server. */
export type RemoteWork = (called: Called, remote: Remote) => Plan | Later;

/** One call of a command through a server. */
export class Remote {
  readonly output: Output;
  readonly surroundings: Surroundings;
  readonly client: ApiClient;
  readonly url: string;
  readonly #key = randomUUID();
  #isOther = false;

  constructor({ url, token, ca }: ServerChoice, output: Output, surroundings: Surroundings) {
    this.output = output;
    this.surroundings = surroundings;
    this.url = url;
    const headers = agentHeader(surroundings);
    this.client = holdfastClient({ url, token, headers, fetch: nodeFetch(ca) });
  }

  /** A command to paste, through this server. */
  command(...words: string[]): string {
    return commandText(words, this.url);
  }

  /** Prints what the command prints on the server, and answers its exit code. */
  async show(plan: Plan): Promise<number> {
    const { exitCode, stdout, stderr } = await this.print(plan);
    this.say(stdout, stderr);
    return exitCode;
  }

  say(stdout: string, stderr: string): void {
    if (stdout !== "") this.output.product(stdout);
    for (const line of stderr.split("\n").slice(0, -1)) this.output.note(line);
  }

  async print(plan: Plan): Promise<Printed> {
    const { json, columns } = this.output;
    const accept = `${COMMAND_TYPE}; json=${json ? "1" : "0"}; columns=${String(columns)}; server="${this.url}"`;
    const response = await this.send(plan, accept);
    const type = response.headers.get("content-type") ?? "";
    if (!type.startsWith(COMMAND_TYPE)) throw anotherVersion(this.url, response);
    return (await response.json()) as Printed;
  }

  /** The answer as a document. */
  async ask<Answer>(plan: Plan): Promise<Answer> {
    return (await (await this.send(plan, "application/json")).json()) as Answer;
  }

  /** Asked again after a lost connection, a request is still asked once: it has a key. */
  async send({ route, ...input }: Plan, accept: string): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      try {
        const response = await this.client.send(route, input, { accept, idempotencyKey: this.#key });
        this.#compareVersion(response.headers.get("holdfast-version"));
        return response;
      } catch (error) {
        const isLost = (error as NodeJS.ErrnoException).code === "ECONNRESET";
        if (!isLost || tries >= TRIES) throw remoteFault(error, this.url);
        await delay(AGAIN_MS * tries);
      }
    }
  }

  #compareVersion(theirs: string | null): void {
    const own = packageVersion();
    if (this.#isOther || theirs === null || theirs === own) return;
    this.#isOther = true;
    this.output.note(`holdfast: ${this.url} is version ${theirs}, this command is ${own}`);
  }
}

const anotherVersion = (url: string, response: Response): Fault =>
  new Fault(
    "refused",
    `${url} is a server of version ${response.headers.get("holdfast-version") ?? "unknown"}, which performs no commands for others; expected ${packageVersion()}`,
  );

/** What runs in an agent's environment says so; see the header in `src/api`. */
function agentHeader({ env }: Surroundings): Record<string, string> {
  const [run, attempt] = [env["HOLDFAST_RUN"] ?? "", env["HOLDFAST_ATTEMPT"] ?? ""];
  if (attempt === "") return {};
  return { "holdfast-agent": encodeURIComponent(`${run === "" ? "-" : run} ${attempt}`) };
}

/** Whether asking again may help: the connection was lost, or the server ends or begins just now. */
export const isPassing = (error: unknown): boolean =>
  !(error instanceof ApiProblem) && error instanceof Fault && error.code.startsWith("store_");
