import { Fault } from "../../model/fault.ts";
import { personOnly } from "../ask/who-asks.ts";
import { EXIT } from "../shell/define-command.ts";
import type { Invocation } from "../shell/invocation.ts";
import { pushTo } from "./clone-repository.ts";
import { missionAtHand, showView, viewOf } from "./mission-at-hand.ts";

/**
 * Pushes accepted work to where its repositories were cloned from. On disk: the remote's branch, then `WorkPushed`. A kill
 * in between has it pushed once more, which changes nothing there.
 */
export function pushMission(call: Invocation, named: string | undefined): Promise<number> {
  return call.withSystem("empty", async (system) => {
    const state = await missionAtHand(call, system, named);
    const { name } = state;
    const by = await personOnly(call, system, "push the work of a mission");
    const left = system.missions.unpushed(state);
    for (const { repository, url, path, branch, commit } of left) {
      await pushTo(path, url, branch).catch((fault: unknown) => {
        if (!(fault instanceof Fault)) throw fault;
        const again = call.command("mission", "push", name);
        throw new Fault(
          "refused",
          `${repository}: ${fault.message}; bring it together in ${path}, then ${again}`,
          {
            details: { mission: name, repository, reason: "push_refused" },
          },
        );
      });
      await system.missions.ask(name, { kind: "pushed", repository, commit }, { by });
      call.output.line(`${repository}: ${branch} is pushed to ${url}`);
    }
    if (left.length === 0)
      call.output.line("nothing is left to push: it is for accepted work of repositories at a URL");
    const view = await viewOf(call, system, await missionAtHand(call, system, name));
    showView(call, view, { pushed: left.map(({ repository }) => repository) });
    return EXIT.done;
  });
}
