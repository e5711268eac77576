import { Outlet, useLocation } from "@tanstack/react-router";
import { useState, type ReactElement } from "react";
import { useData } from "../data/data-context.tsx";
import { useApi } from "../data/use-query.ts";
import { en } from "../text/en.ts";
import { NoticesRegion } from "../ui/notices-region.tsx";
import { useTabCount } from "./favicon.ts";
import { HelpDialog } from "./help-dialog.tsx";
import { Navigation } from "./navigation.tsx";
import { titleOf } from "./screens.ts";
import { TopBar } from "./top-bar.tsx";
import { useGlobalKeys } from "./use-global-keys.ts";

/** What stands around every screen. */
export function Shell(): ReactElement {
  const { source } = useData();
  const { pathname } = useLocation();
  const [isHelpOpen, openHelp] = useState(false);
  const inbox = useApi("listInbox", source.kind === "live" ? {} : null);
  const known = inbox.data?.inbox.length;
  const count = known ?? 0;
  useTabCount(titleOf(pathname), count);
  useGlobalKeys(() => openHelp(true));
  return (
    <>
      <a className="skip" href="#screen">
        {en.skip}
      </a>
      <TopBar needsYou={known} onHelp={() => openHelp(true)} />
      {source.kind === "live" && <Navigation needsYou={count} />}
      <main id="screen" tabIndex={-1}>
        <Outlet />
      </main>
      <NoticesRegion />
      {isHelpOpen && <HelpDialog onClose={() => openHelp(false)} />}
    </>
  );
}
