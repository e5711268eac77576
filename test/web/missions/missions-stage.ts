import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { makeRepository } from "../../cli/mission/made-repository.ts";
import { DashboardStage, script } from "../dashboard-stage.ts";

const makes = (file: string, usd: number): string =>
  script([
    { do: "usage", usd, tokensIn: 41_000, tokensOut: 900 },
    { do: "append", file, line: `${file} of the shop` },
    { do: "claim", ok: true, text: "done" },
  ]);

const missionFile = (ok: string): string => `context: prices are in cents
budget: { usd: 20, runs: 20 }
repositories: { api: ./api, web: ./web }
workstreams:
  - { id: schema, repository: api, goal: design the schema of orders, agent: "demo:./schema.json", artifacts: [schema.txt] }
  - { id: server, repository: api, goal: write the server, needs: [schema], agent: "demo:./server.json", checks: ["test -f ${ok}"] }
  - { id: page, repository: web, goal: write the page of orders, needs: [designed], agent: "demo:./page.json" }
  - { id: docs, repository: web, goal: "<img src=x onerror=window.ran=1> tell of it", needs: [page, reviewed], agent: "demo:./docs.json" }
barriers:
  designed: { of: [schema] }
  reviewed: { of: [page, server], when: any, approval: true }
`;

/** A mission over two repositories of which one workstream fails until it is let pass. */
export class MissionsStage extends DashboardStage {
  readonly #ok = path.join(this.api.cli.cwd, "ok");

  constructor() {
    super({ schema: makes("schema.txt", 0.42), server: makes("server.txt", 1.2) }, [
      "attempts: { perStep: 1 }",
      "checks: { tries: 1 }",
    ]);
  }

  folder(name: "api" | "web"): string {
    return path.join(this.api.cli.cwd, name);
  }

  async begin(): Promise<void> {
    await this.open([]);
    const { cli } = this.api;
    for (const name of ["api", "web"] as const) makeRepository(this.folder(name));
    cli.write("page.json", makes("page.txt", 0.8));
    cli.write("docs.json", makes("docs.txt", 0.1));
    cli.write("shop.yaml", missionFile(this.#ok));
    await this.mission("start", "shop.yaml");
  }

  async mission(...words: readonly string[]): Promise<void> {
    const { code, stdout, stderr } = await this.api.cli.call(["mission", ...words]);
    assert.equal(code, 0, `${words.join(" ")}: ${stdout}${stderr}`);
  }

  /** The workstream that fails does not from now on. */
  letServerPass(): void {
    writeFileSync(this.#ok, "");
  }

  /** Until one workstream has failed and the others wait. */
  async work(): Promise<void> {
    const { cli } = this.api;
    await cli.call(["mission", "autopilot", "shop", "--continue-on-failure", "--wait"]);
  }
}

/** What the pictures show: one failed workstream, one that is done, and a barrier that waits. */
export async function openMissions(stage: MissionsStage): Promise<void> {
  await stage.begin();
  await stage.work();
}
