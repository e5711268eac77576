import { useState, type FormEvent, type ReactElement } from "react";
import { commandText } from "../../../../src/model/text/command-text.ts";
import { useAct } from "../../data/use-act.ts";
import { useApi } from "../../data/use-query.ts";
import { useStoreName } from "../../data/use-store-name.ts";
import { en } from "../../text/en.ts";
import { ActionButton } from "../../ui/commands/action-button.tsx";
import { CommandText } from "../../ui/commands/command-text.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { Untrusted } from "../../ui/untrusted.tsx";

const { doctor: words } = en;
const ROLES = ["viewer", "operator", "admin"] as const;

/** Named tokens: who may ask what, and until when. */
export function TokensPart(): ReactElement {
  const me = useApi("whoAmI", {}, { kind: "nothing" });
  if (me.data === undefined)
    return me.error === null ? <Skeleton /> : <Problem error={me.error} onAgain={me.refresh} />;
  if (me.data.role !== "admin")
    return <EmptyState title={`${words.adminOnly} ${words.roles[me.data.role]}.`} />;
  return (
    <>
      <TokenForm />
      <TokenList />
    </>
  );
}

function TokenList(): ReactElement {
  const { data, error, refresh } = useApi("listTokens", {});
  const { isAsking, ask } = useAct();
  const store = useStoreName();
  if (data === undefined) return error === null ? <Skeleton /> : <Problem error={error} onAgain={refresh} />;
  return (
    <Panel title={words.tokens} count={data.tokens.length}>
      {data.tokens.length === 0 && <EmptyState title={words.noTokens}>{words.tokenText}</EmptyState>}
      <ul>
        {data.tokens.map(({ id, name, role, createdAt, expiresAt }) => {
          const command = commandText(["token", "revoke", id], store);
          return (
            <li key={id} className="line row row-wrap">
              <strong>
                <Untrusted text={name} isLine charsMax={64} />
              </strong>
              <span>{words.roles[role]}</span>
              <span className="muted">
                {words.created} <Time at={createdAt} />, {words.expires.toLowerCase()}{" "}
                {expiresAt === null ? words.never : <Time at={expiresAt} />}
              </span>
              <span className="grow" />
              <ActionButton
                command={command}
                tone="danger"
                isBusy={isAsking}
                onPress={() =>
                  void ask({
                    route: "revokeToken",
                    input: { params: { token: id }, body: {} },
                    command,
                    title: `token revoke ${name}`,
                  })
                }
              >
                {words.revoke}
              </ActionButton>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

function TokenForm(): ReactElement {
  const { isAsking, ask } = useAct();
  const [name, setName] = useState("");
  const [role, setRole] = useState<(typeof ROLES)[number]>("viewer");
  const [expiresIn, setExpiresIn] = useState("30d");
  const [secret, setSecret] = useState<string | null>(null);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const ends = expiresIn.trim();
    const body = { name: name.trim(), role, ...(ends === "" ? {} : { expiresIn: ends }) };
    const title = `token create ${body.name}`;
    const { answer } = await ask({ route: "createToken", input: { body }, command: null, title });
    const { token } = (answer ?? {}) as { readonly token?: string };
    if (token !== undefined) setSecret(token);
  };
  return (
    <form className="panel panel-body stack" onSubmit={(event) => void submit(event)}>
      <div className="row row-wrap">
        <label className="choice">
          <span className="muted small">{words.tokenName}</span>
          <input className="input" value={name} onChange={({ target }) => setName(target.value)} />
        </label>
        <label className="choice">
          <span className="muted small">{words.role}</span>
          <select
            value={role}
            onChange={({ target }) => setRole(ROLES.find((one) => one === target.value) ?? "viewer")}
          >
            {ROLES.map((one) => (
              <option key={one} value={one}>
                {words.roles[one]}
              </option>
            ))}
          </select>
        </label>
        <label className="choice">
          <span className="muted small">{words.expiresIn}</span>
          <input className="input" value={expiresIn} onChange={({ target }) => setExpiresIn(target.value)} />
        </label>
        <button
          type="submit"
          className="button button-main field-button"
          disabled={name.trim() === ""}
          aria-busy={isAsking}
        >
          {words.create}
        </button>
      </div>
      {secret !== null && (
        <div className="stack-tight" role="status">
          <span>{words.secret}</span>
          <CommandText command={secret} />
        </div>
      )}
    </form>
  );
}
