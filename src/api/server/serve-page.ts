import type { ServerResponse } from "node:http";
import { checkHost } from "../guard/check-origin.ts";
import type { Refusal } from "../guard/refusal.ts";
import type { RequestFacts } from "../guard/request-facts.ts";
import { loginPage, notBuiltPage, usedLoginPage } from "./plain-page.ts";
import { refusalProblem, send, sendProblem } from "./problem.ts";
import type { Served } from "./served.ts";
import { encodingFor } from "./web-files.ts";

const LOGIN = /^\/login\/([\w-]{20,100})$/;
const ASSET = /^\/assets\/([\w.-]{1,200})$/;
/** Below these there is nothing but what is named above, and the API. */
const NO_PAGE = /^\/(api|login|assets|favicon\.ico|robots\.txt)(\/|$)/;
const SESSION_S = 7 * 24 * 3_600;
/** How long the page that was asked for without a session is remembered for the login. */
const WANTED_S = 600;
const WANTED_CHARS_MAX = 1_000;
const HTML = "text/html; charset=utf-8";

/** Everything that is no route: the login URL, and the pages and their parts, which hold nothing of any run. */
export function servePage(served: Served, facts: RequestFacts, response: ServerResponse): void {
  const astray = checkHost(facts, served.guard.addresses);
  if (astray !== null) return sendProblem(response, refusalProblem(astray), { close: true });
  if (facts.method !== "GET" && facts.method !== "HEAD") return refuse(response, ONLY_READ);
  const path = facts.target.split("?")[0] ?? "";
  const [, code] = LOGIN.exec(path) ?? [];
  if (code !== undefined) return login(served, facts, { response, code });
  const [, asset] = ASSET.exec(path) ?? [];
  if (asset !== undefined) return serveAsset(served, facts, { response, asset });
  if (NO_PAGE.test(path)) return noPage(served, response);
  const built = served.web.look();
  if (built === null) return send(response, { status: 503, type: HTML }, notBuiltPage());
  if (!hasSession(served, facts)) {
    const headers = { "set-cookie": wantedCookie(served, facts.target) };
    return send(response, { status: 401, type: HTML, headers }, loginPage(built.page));
  }
  send(response, { status: 200, type: HTML }, built.page);
}

const ONLY_READ: Refusal = {
  status: 405,
  code: "method_refused",
  detail: "pages are only read",
  expected: "GET",
};

const refuse = (response: ServerResponse, refusal: Refusal): void =>
  sendProblem(response, refusalProblem(refusal), { close: true });

const noPage = ({ url }: Served, response: ServerResponse): void =>
  sendProblem(
    response,
    refusalProblem({ status: 404, code: "no_such_route", detail: "there is no such page", expected: url }),
  );

function hasSession({ guard, sessions }: Served, { cookies }: RequestFacts): boolean {
  const session = cookies.get(guard.cookie);
  return session !== undefined && sessions.identify(session) !== null;
}

function serveAsset(
  served: Served,
  facts: RequestFacts,
  { response, asset }: { readonly response: ServerResponse; readonly asset: string },
): void {
  const found = served.web.look()?.assets.get(asset);
  if (found === undefined) return noPage(served, response);
  const encoding = encodingFor(found, facts.acceptEncoding ?? undefined);
  const headers = {
    "cache-control": "public, max-age=31536000, immutable",
    vary: "accept-encoding",
    ...(encoding === null ? {} : { "content-encoding": encoding }),
  };
  const body = encoding === null ? found.plain : (found.encoded.get(encoding) ?? found.plain);
  send(response, { status: 200, type: found.type, headers }, body);
}

function login(
  served: Served,
  facts: RequestFacts,
  { response, code }: { readonly response: ServerResponse; readonly code: string },
): void {
  const { guard, sessions } = served;
  const secret = sessions.begin(code);
  if (secret === null) {
    const waitMs = guard.failed.failed(facts.peer);
    const page = usedLoginPage(served.web.look()?.page ?? null);
    return send(response, { status: waitMs > 0 ? 429 : 401, type: HTML }, page);
  }
  const session = cookie(served, { name: guard.cookie, value: secret, path: "/", maxAgeS: SESSION_S });
  const spent = cookie(served, { name: wantedName(served), value: "", path: "/login", maxAgeS: 0 });
  const cookies = facts.cookies.has(wantedName(served)) ? [session, spent] : session;
  const headers = { "set-cookie": cookies, location: wantedPage(served, facts) };
  send(response, { status: 303, type: HTML, headers }, "");
}

const wantedName = ({ guard }: Served): string => `${guard.cookie}_wanted`;

function wantedCookie(served: Served, target: string): string {
  const value = encodeURIComponent(target.slice(0, WANTED_CHARS_MAX));
  return cookie(served, { name: wantedName(served), value, path: "/login", maxAgeS: WANTED_S });
}

/** Where the login leads: the page that the URL names, else the one that was asked for last, else the first one. */
function wantedPage(served: Served, { target, cookies }: RequestFacts): string {
  const named = new URLSearchParams(target.split("?")[1] ?? "").get("to");
  return ownPage(served, named ?? unescaped(cookies.get(wantedName(served)) ?? "")) ?? "/";
}

/** A page of this server and of no other, as a path; null for anything else. */
function ownPage({ url }: Served, text: string): string | null {
  const read = text.startsWith("/") && text.length <= WANTED_CHARS_MAX ? URL.parse(text, url) : null;
  if (read === null || read.origin !== new URL(url).origin || read.pathname.startsWith("//")) return null;
  return NO_PAGE.test(read.pathname) ? null : read.pathname + read.search + read.hash;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not a cookie that this server has set.
    return "";
  }
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly maxAgeS: number;
}

const cookie = ({ isSecure }: Served, { name, value, path, maxAgeS }: Cookie): string =>
  [
    `${name}=${value}`,
    `Path=${path}`,
    "HttpOnly",
    "SameSite=Strict",
    `Max-Age=${String(maxAgeS)}`,
    ...(isSecure ? ["Secure"] : []),
  ].join("; ");
