import { httpReceiver } from "../notify/receiver.ts";
import { atEnd } from "./real.ts";

const SLOW_MS = 400;

/** A server on this machine: it takes notices (slowly at /slow), and answers hooks as their address says. */
const receiver = await httpReceiver((response, { url = "" }) => {
  const answer = (): void => {
    const [, decision] = url.split("?");
    response.setHeader("content-type", "application/json");
    response.end(decision === undefined ? "{}" : JSON.stringify({ decision, message: "" }));
  };
  setTimeout(answer, url.startsWith("/slow") ? SLOW_MS : 0);
});
atEnd(() => receiver.close());

export const RECEIVER = `http://127.0.0.1:${String(receiver.port)}`;

/** What has come in since it was asked last. */
export const takeReceived = () => receiver.received.splice(0);
