import { useEffect, useRef } from "react";
import { commandOrder } from "../../data/command-order.ts";
import type { InboxItem } from "../../data/documents.ts";
import { useAct } from "../../data/use-act.ts";
import { itemKey, verbsOf } from "./inbox-items.ts";
import type { InboxAct, OpenField } from "./inbox-props.ts";

interface InboxKeysWish {
  readonly shown: readonly InboxItem[];
  readonly active: InboxItem | undefined;
  readonly go: (item: InboxItem) => void;
  readonly toggle: (item: InboxItem) => void;
  readonly openField: (field: OpenField) => void;
}

/** The keys of the inbox: j and k move, a approves, e edits, Enter answers, r rejects, n hides it for now. */
export function useInboxKeys(wish: InboxKeysWish): InboxAct {
  const { isAsking, ask } = useAct();
  const send = (command: string): boolean => {
    const order = commandOrder(command, wish.active?.run ?? null);
    if (order === null) return false;
    void ask(order);
    return true;
  };
  const latest = useRef({ wish, send, isAsking });
  latest.current = { wish, send, isAsking };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isBusy(event)) return;
      if (perform(event.key, latest.current)) event.preventDefault();
    };
    // Before the keys of every screen.
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, []);
  return { isAsking, send };
}

/** A field, a link or another button has its own use for keys; Enter on a row of the list answers. */
function isBusy({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.matches("input:not([type=checkbox]), textarea, select, dialog *")) return true;
  return key === "Enter" && target.matches("button:not([data-item]), a");
}

interface Latest {
  readonly wish: InboxKeysWish;
  readonly send: (command: string) => boolean;
  readonly isAsking: boolean;
}

function perform(key: string, { wish, send, isAsking }: Latest): boolean {
  const { shown, active, go, toggle, openField } = wish;
  if (active === undefined) return false;
  const at = shown.findIndex((item) => itemKey(item) === itemKey(active));
  const verbs = verbsOf(active);
  switch (key) {
    case "j":
    case "ArrowDown":
      return move(shown[at + 1], go);
    case "k":
    case "ArrowUp":
      return move(shown[at - 1], go);
    case "x":
      toggle(active);
      return true;
    case "a":
      return verbs.approve !== null && !isAsking && send(verbs.approve.command);
    case "e":
      if (verbs.edit !== null) openField("edit");
      return verbs.edit !== null;
    case "r":
      if (verbs.reject !== null) openField("reject");
      return verbs.reject !== null;
    case "n":
      openField("later");
      return true;
    case "Enter":
      if (verbs.answer !== null) openField("answer");
      return verbs.answer !== null;
    default:
      return false;
  }
}

function move(item: InboxItem | undefined, go: (item: InboxItem) => void): boolean {
  if (item === undefined) return true;
  go(item);
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('[data-item][aria-current="true"]')?.focus(),
  );
  return true;
}
