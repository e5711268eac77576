import { Fragment, type ReactElement } from "react";

/** A sentence of Holdfast in which commands and options stand between backticks. */
export const WithCode = ({ text }: { readonly text: string }): ReactElement => (
  <>
    {text
      .split("`")
      .map((part, at) =>
        at % 2 === 0 ? <Fragment key={at}>{part}</Fragment> : <code key={at}>{part}</code>,
      )}
  </>
);
