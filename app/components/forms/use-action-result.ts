// biome-ignore lint/style/noRestrictedImports: this is what others use
import { useActionData, useLocation } from "@remix-run/react";
import { useState } from "react";

/**
 * Returns what the page's action has answered, until the next navigation. Remix's own hook drops the answer once the page
 * reads its data again, as it does after a lost network, and with it a key that is shown only once.
 */
export function useActionResult<Action>() {
  const answer = useActionData<Action>();
  const { key } = useLocation();
  const [kept, setKept] = useState({ answer, key });
  const isNew = kept.key !== key || (answer !== undefined && answer !== kept.answer);
  if (isNew) setKept({ answer, key });
  return isNew ? answer : kept.answer;
}
