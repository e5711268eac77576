import {
  use,
  useId,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from "react";
import { ActionLine } from "./action-line.ts";
import { CommandText } from "./command-text.tsx";

interface ActionButtonProps {
  /** The verb. */
  readonly children: ReactNode;
  /** The command line that does the same; shown on hover and focus. */
  readonly command: string | null;
  readonly onPress: () => void;
  readonly tone?: "normal" | "main" | "danger";
  readonly isDisabled?: boolean;
  readonly isBusy?: boolean;
  readonly shortcut?: string;
  readonly isPressed?: boolean;
}

/** A verb, with the command that does the same: below the group of buttons it is in, or beside itself. */
export function ActionButton(props: ActionButtonProps): ReactElement {
  const { children, command, onPress, tone = "normal", isDisabled, isBusy, shortcut, isPressed } = props;
  const line = use(ActionLine);
  const id = useId();
  const [isNear, near] = useState(false);
  const show = (isShown: boolean): void => {
    near(isShown);
    if (isShown) line?.show(command);
  };
  const close = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && isNear) near(false);
  };
  // Into its own tip the focus stays: without the tip it would be lost there.
  const leave = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    if (!currentTarget.contains(relatedTarget)) near(false);
  };
  const hasTip = line === null && command !== null;
  return (
    <span
      className="action"
      onPointerEnter={() => show(true)}
      onPointerLeave={() => near(false)}
      onFocus={() => show(true)}
      onBlur={leave}
      onKeyDown={close}
    >
      <button
        type="button"
        className={`button button-${tone}`}
        disabled={isDisabled}
        aria-busy={isBusy}
        aria-pressed={isPressed}
        aria-describedby={hasTip && isNear ? id : undefined}
        aria-keyshortcuts={shortcut}
        onClick={onPress}
      >
        {children}
        {shortcut !== undefined && <kbd aria-hidden="true">{shortcut}</kbd>}
      </button>
      {hasTip && isNear && (
        <span className="tip" id={id} role="tooltip">
          <CommandText command={command} />
        </span>
      )}
    </span>
  );
}
