import type { ServerResponse } from "node:http";
import { checkHost } from "../guard/check-origin.ts";
import type { RequestFacts } from "../guard/request-facts.ts";
import { refusalProblem } from "./problem.ts";
import { rootPage } from "./root-page.ts";
import { send, sendProblem } from "./send-answer.ts";
import type { Served } from "./served.ts";

const LOGIN = /^\/login\/([\w-]{20,100})$/;
const SESSION_S = 7 * 24 * 3_600;
const HTML = "text/html; charset=utf-8";

/** Everything that is no route: the login URL, and the pages, which hold nothing of any run. */
export function servePage(served: Served, facts: RequestFacts, response: ServerResponse): void {
  const astray = checkHost(facts, served.guard.addresses);
  if (astray !== null) return sendProblem(response, refusalProblem(astray), { close: true });
  const path = facts.target.split("?")[0] ?? "";
  if (facts.method !== "GET")
    return sendProblem(
      response,
      refusalProblem({ status: 405, code: "method_refused", detail: "pages are only read", expected: "GET" }),
      { close: true },
    );
  const [, code] = LOGIN.exec(path) ?? [];
  if (code !== undefined) return login(served, facts, { response, code });
  if (path !== "/" && path !== "/index.html" && !path.startsWith("/inbox"))
    return sendProblem(
      response,
      refusalProblem({
        status: 404,
        code: "no_such_route",
        detail: "there is no such page",
        expected: served.url,
      }),
    );
  const session = facts.cookies.get(served.guard.cookie);
  const identity = session === undefined ? null : served.sessions.identify(session);
  send(response, { status: 200, type: HTML }, rootPage(identity?.name ?? null));
}

interface Login {
  readonly response: ServerResponse;
  readonly code: string;
}

function login(
  { guard, sessions, isSecure }: Served,
  { peer }: RequestFacts,
  { response, code }: Login,
): void {
  const secret = sessions.begin(code);
  if (secret === null) {
    const waitMs = guard.failed.failed(peer);
    const refusal = {
      status: waitMs > 0 ? 429 : 401,
      code: waitMs > 0 ? ("too_many_requests" as const) : ("unauthenticated" as const),
      detail: "the login URL was used already, or its minute is over",
      expected: "a new one",
      command: "holdfast dashboard",
    };
    return sendProblem(response, refusalProblem(refusal));
  }
  const cookie = [
    `${guard.cookie}=${secret}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Strict",
    `Max-Age=${String(SESSION_S)}`,
  ];
  const headers = { "set-cookie": [...cookie, ...(isSecure ? ["Secure"] : [])].join("; "), location: "/" };
  send(response, { status: 303, type: HTML, headers }, "");
}
