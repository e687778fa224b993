import { type ComponentType, useEffect, useState } from "react";
import { holdUntilConfirmed, type Question, receiveQuestions } from "./confirm-identity.ts";

/** Shows the dialog that asks people to prove who they are. Few pages ask, so its code is fetched with the first question. */
export function IdentityQuestions() {
  const [question, setQuestion] = useState<Question | null>(null);
  const [Dialog, setDialog] = useState<ComponentType<Question> | null>(null);
  useEffect(() => {
    const stopReceiving = receiveQuestions((asked) => {
      import("./identity-dialog.tsx").then(
        ({ IdentityDialog }) => {
          setDialog(() => IdentityDialog);
          setQuestion({
            ...asked,
            settle: (isProven) => {
              setQuestion(null);
              asked.settle(isProven);
            },
          });
        },
        // The fetch failed: the server asks on its page.
        () => asked.settle(true),
      );
    });
    const stopHolding = holdUntilConfirmed();
    return () => {
      stopReceiving();
      stopHolding();
    };
  }, []);
  return Dialog && question && <Dialog {...question} />;
}
