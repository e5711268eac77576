import type { ReactElement } from "react";
import { setTheme, THEMES, useTheme } from "../../app/theme.ts";
import { useAct } from "../../data/use-act.ts";
import { useApi } from "../../data/use-query.ts";
import { en } from "../../text/en.ts";
import { Panel } from "../../ui/panel.tsx";
import { zoneName } from "../../ui/time-text.ts";
import { Untrusted } from "../../ui/untrusted.tsx";

const { doctor: words } = en;

/** How this browser shows the pages, and as whom it is logged in. */
export function PagePart(): ReactElement {
  const theme = useTheme();
  return (
    <>
      <Panel title={words.theme}>
        <div className="panel-body stack">
          <fieldset className="row row-wrap">
            <legend className="visually-hidden">{words.theme}</legend>
            {THEMES.map((name) => (
              <label key={name} className="row">
                <input
                  type="radio"
                  name="theme"
                  checked={theme.name === name}
                  onChange={() => setTheme({ ...theme, name })}
                />
                {en.themes[name]}
              </label>
            ))}
          </fieldset>
          <label className="row">
            <input
              type="checkbox"
              checked={theme.isHighContrast}
              onChange={({ target }) => setTheme({ ...theme, isHighContrast: target.checked })}
            />
            {words.contrast}
          </label>
        </div>
      </Panel>
      <MePanel />
    </>
  );
}

function MePanel(): ReactElement | null {
  const { data } = useApi("whoAmI", {}, { kind: "nothing" });
  const { isAsking, ask } = useAct();
  if (data === undefined) return null;
  const { name, role, how, store, host } = data;
  const logout = async (): Promise<void> => {
    const { state } = await ask({
      route: "endSession",
      input: { body: {} },
      command: null,
      title: words.logout,
    });
    if (state === "done") location.reload();
  };
  return (
    <Panel title={words.me}>
      <div className="panel-body stack">
        <dl className="facts">
          <dt>{words.me}</dt>
          <dd>
            <Untrusted text={name} isLine /> ({words.roles[role]}), {words.how[how]}
          </dd>
          <dt>{words.host}</dt>
          <dd>{host}</dd>
          <dt>{words.store}</dt>
          <dd className="mono">{store ?? words.ownStore}</dd>
          <dt>{words.zone}</dt>
          <dd>{zoneName()}</dd>
        </dl>
        {how === "session" && (
          <div>
            <button
              type="button"
              className="button button-normal"
              aria-busy={isAsking}
              onClick={() => void logout()}
            >
              {words.logout}
            </button>
          </div>
        )}
      </div>
    </Panel>
  );
}
